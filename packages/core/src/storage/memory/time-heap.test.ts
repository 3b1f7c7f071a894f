import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Timed, TimeHeap } from './time-heap.ts';

const all = () => true;

describe('TimeHeap', () => {
  it('has the earliest first, whatever was added, moved and removed in whichever order', () => {
    const step = fc.record({
      kind: fc.constantFrom('add', 'move', 'remove'),
      which: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      atMs: fc.integer({ min: 0, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new TimeHeap<number>();
        const members: Timed<number>[] = [];
        for (const [nth, { kind, which, atMs }] of steps.entries()) {
          const at = Math.floor(which * members.length);
          const member = members[at];
          if (kind === 'add' || member === undefined) members.push(heap.add(nth, atMs));
          else if (kind === 'move') heap.move(member, atMs);
          else heap.remove(...(members.splice(at, 1) as [Timed<number>]));
          const times = members.map((timed) => timed.atMs).sort((a, b) => a - b);
          expect(heap.size).toBe(members.length);
          expect(heap.first?.atMs).toBe(times[0]);
        }
      }),
      { seed: 1 },
    );
  });

  it('lists those up to a time, earliest first, and keeps them', () => {
    const heap = new TimeHeap<string>();
    for (const [value, atMs] of Object.entries({ d: 40, a: 10, c: 30, b: 20 })) {
      heap.add(value, atMs);
    }
    expect(heap.until(30, 10, all)).toEqual(['a', 'b', 'c']);
    expect(heap.until(30, 2, all)).toEqual(['a', 'b']);
    expect(heap.until(9, 10, all)).toEqual([]);
    expect(heap.size).toBe(4);
  });

  it('passes over what is not wanted, and keeps that too', () => {
    const heap = new TimeHeap<string>();
    for (const [nth, value] of ['a', 'b', 'c', 'd'].entries()) heap.add(value, nth);
    expect(heap.until(3, 2, (value) => value !== 'a' && value !== 'c')).toEqual(['b', 'd']);
    expect(heap.until(3, 10, all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('takes the earliest away once its time has come', () => {
    const heap = new TimeHeap<string>();
    heap.add('b', 20);
    heap.add('a', 10);
    expect(heap.take(9)).toBeUndefined();
    expect(heap.take(20)).toBe('a');
    expect(heap.take(20)).toBe('b');
    expect(heap.take(20)).toBeUndefined();
  });

  it('moves and removes what it has listed', () => {
    const heap = new TimeHeap<string>();
    const a = heap.add('a', 10);
    const b = heap.add('b', 20);
    heap.until(30, 10, all);
    heap.move(a, 50);
    heap.remove(b);
    expect(heap.until(100, 10, all)).toEqual(['a']);
  });
});
