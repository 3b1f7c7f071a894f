import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Timed, TimeHeap } from './time-heap.ts';

describe('TimeHeap', () => {
  it('has the earliest member first after any sequence of additions and removals', () => {
    const step = fc.record({
      kind: fc.constantFrom('add', 'remove'),
      position: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      atMs: fc.integer({ min: 0, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new TimeHeap<Timed>();
        const members: Timed[] = [];
        for (const { kind, position, atMs } of steps) {
          const index = Math.floor(position * members.length);
          const member = members[index];
          if (kind === 'add' || member === undefined) {
            const added = { atMs, heapIndex: 0 };
            members.push(added);
            heap.add(added);
          } else heap.remove(...(members.splice(index, 1) as [Timed]));
          const times = members.map((timed) => timed.atMs).sort((a, b) => a - b);
          expect(heap.first?.atMs).toBe(times[0]);
        }
      }),
      { seed: 1 },
    );
  });
});
