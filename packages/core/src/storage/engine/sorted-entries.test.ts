import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SortedEntries, type SortedEntry } from './sorted-entries.ts';

it('SortedEntries has the first entry first after any sequence of additions and removals', () => {
  const step = fc.record({
    kind: fc.constantFrom('add', 'remove'),
    position: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    sortKey: fc.integer({ min: 10, max: 60 }).map(String),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const sorted = new SortedEntries<SortedEntry>();
      const entries: SortedEntry[] = [];
      for (const [i, { kind, position, sortKey }] of steps.entries()) {
        const [removed] = kind === 'remove' ? entries.splice(position * entries.length, 1) : [];
        if (removed === undefined) {
          const added = { sortKey, tieBreaker: String(i) };
          entries.push(added);
          sorted.add(added);
        } else sorted.remove(removed);
        expect(sorted.first?.sortKey).toBe(entries.map((entry) => entry.sortKey).sort()[0]);
      }
    }),
    { seed: 1 },
  );
});
