import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlotMap } from './slot-map.ts';

describe('SlotMap', () => {
  it('holds what a Map holds, whatever comes and goes', () => {
    const step = fc.record({ adds: fc.boolean(), key: fc.constantFrom(...'abcdefgh') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const slots = new SlotMap<object>();
        const map = new Map<string, object>();
        for (const { adds, key } of steps) {
          if (!adds) expect(slots.delete(key)).toBe(map.delete(key));
          else if (!map.has(key)) {
            const value = { key };
            slots.add(key, value);
            map.set(key, value);
          }
          for (const name of 'abcdefgh') expect(slots.get(name)).toBe(map.get(name));
          expect(slots.size).toBe(map.size);
        }
      }),
      { seed: 1 },
    );
  });
});
