import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Expiries, type Expiring } from './expiries.ts';

function expiring(atMs: number): Expiring {
  return { atMs, heapIndex: 0, linePlace: null };
}

describe('Expiries', () => {
  it('yields each once its time has come, in whichever order they came', () => {
    const step = fc.record({
      kind: fc.constantFrom('add', 'add', 'remove', 'take'),
      which: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      atMs: fc.integer({ min: 0, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const expiries = new Expiries<Expiring>();
        let members: Expiring[] = [];
        for (const { kind, which, atMs } of steps) {
          const at = Math.floor(which * members.length);
          if (kind === 'add') {
            const member = expiring(atMs);
            members.push(member);
            expiries.add(member);
          } else if (kind === 'remove') {
            for (const member of members.splice(at, 1)) expiries.remove(member);
          } else {
            const due = new Set(members.filter((member) => member.atMs <= atMs));
            for (let taken = expiries.take(atMs); taken; taken = expiries.take(atMs)) {
              expect(due.delete(taken)).toBe(true);
            }
            expect(due.size).toBe(0);
            members = members.filter((member) => member.atMs > atMs);
          }
          expect(expiries.size).toBe(members.length);
        }
      }),
      { seed: 1 },
    );
  });
});
