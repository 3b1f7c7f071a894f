import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

  it('lets go of what is deleted, where only new objects are collected', () => {
    setFlagsFromString('--expose-gc');
    const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc');
    const slots = new SlotMap<number[]>();
    const present = 20;
    for (let nth = 0; nth < present; nth += 1) slots.add(`key ${nth}`, []);
    // From here on, its present table is an old one.
    collect();
    const { heapUsed } = process.memoryUsage();
    for (let nth = present; nth < 5_000; nth += 1) {
      slots.delete(`key ${nth - present}`);
      slots.add(`key ${nth}`, new Array(1_000).fill(nth));
      if (nth % 50 === 0) collect({ type: 'minor' });
    }
    // Of 40 MB; in a Map, half of them stay.
    expect(process.memoryUsage().heapUsed - heapUsed).toBeLessThan(5_000_000);
  });
});
