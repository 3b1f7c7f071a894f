import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Placed, SortedPlaces } from './sorted-places.ts';

it('SortedPlaces has the first entry first after any sequence of additions and removals', () => {
  const step = fc.record({
    kind: fc.constantFrom('add', 'remove'),
    position: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    place: fc.integer({ min: 10, max: 60 }).map(String),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const places = new SortedPlaces<Placed>();
      const entries: Placed[] = [];
      for (const [i, { kind, position, place }] of steps.entries()) {
        const [removed] = kind === 'remove' ? entries.splice(position * entries.length, 1) : [];
        if (removed === undefined) {
          const added = { place, name: String(i) };
          entries.push(added);
          places.add(added);
        } else places.remove(removed);
        expect(places.first?.place).toBe(entries.map((entry) => entry.place).sort()[0]);
      }
    }),
    { seed: 1 },
  );
});
