import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Timed, TimeHeap } from './time-heap.ts';

interface Named extends Timed {
  readonly name: string;
}

const all = () => true;

function named(name: string, atMs: number): Named {
  return { name, atMs, heapIndex: 0 };
}

function namesOf(members: readonly Named[]): string[] {
  return members.map(({ name }) => name);
}

describe('TimeHeap', () => {
  it('has the earliest member first after any sequence of add, move and remove', () => {
    const step = fc.record({
      kind: fc.constantFrom('add', 'move', 'remove'),
      which: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      atMs: fc.integer({ min: 0, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new TimeHeap<Timed>();
        const members: Timed[] = [];
        for (const { kind, which, atMs } of steps) {
          const at = Math.floor(which * members.length);
          const member = members[at];
          if (kind === 'add' || member === undefined) {
            const added = { atMs, heapIndex: 0 };
            members.push(added);
            heap.add(added);
          } else if (kind === 'move') heap.move(member, atMs);
          else heap.remove(...(members.splice(at, 1) as [Timed]));
          const times = members.map((timed) => timed.atMs).sort((a, b) => a - b);
          expect(heap.size).toBe(members.length);
          expect(heap.first?.atMs).toBe(times[0]);
        }
      }),
      { seed: 1 },
    );
  });

  it('lists the members up to a time, earliest first, and keeps them', () => {
    const heap = new TimeHeap<Named>();
    for (const [name, atMs] of Object.entries({ d: 40, a: 10, c: 30, b: 20 })) {
      heap.add(named(name, atMs));
    }
    expect(namesOf(heap.until(30, 10, all))).toEqual(['a', 'b', 'c']);
    expect(namesOf(heap.until(30, 2, all))).toEqual(['a', 'b']);
    expect(heap.until(9, 10, all)).toEqual([]);
    expect(heap.size).toBe(4);
  });

  it('skips members that the filter rejects, and keeps them', () => {
    const heap = new TimeHeap<Named>();
    for (const [nth, name] of ['a', 'b', 'c', 'd'].entries()) heap.add(named(name, nth));
    const wanted = heap.until(3, 2, ({ name }) => name !== 'a' && name !== 'c');
    expect(namesOf(wanted)).toEqual(['b', 'd']);
    expect(namesOf(heap.until(3, 10, all))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('removes and returns the earliest member once its time has come', () => {
    const heap = new TimeHeap<Named>();
    const [a, b] = [named('a', 10), named('b', 20)];
    heap.add(b);
    heap.add(a);
    expect(heap.take(9)).toBeUndefined();
    expect(heap.take(20)).toBe(a);
    expect(heap.take(20)).toBe(b);
    expect(heap.take(20)).toBeUndefined();
  });

  it('moves and removes members that it has listed', () => {
    const heap = new TimeHeap<Named>();
    const [a, b] = [named('a', 10), named('b', 20)];
    heap.add(a);
    heap.add(b);
    heap.until(30, 10, all);
    heap.move(a, 50);
    heap.remove(b);
    expect(heap.until(100, 10, all)).toEqual([a]);
  });
});
