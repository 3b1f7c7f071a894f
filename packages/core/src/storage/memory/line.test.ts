import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Line, type LineMember } from './line.ts';

interface Named extends LineMember {
  readonly name: string;
}

const named = (name: string): Named => ({ name, linePlace: null });

describe('Line', () => {
  it('has the one first that joined before all others, whoever leaves', () => {
    const step = fc.record({
      joins: fc.boolean(),
      which: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const line = new Line<LineMember>();
        const members: LineMember[] = [];
        for (const { joins, which } of steps) {
          if (joins) {
            const member = { linePlace: null };
            members.push(member);
            line.join(member);
          } else {
            for (const member of members.splice(Math.floor(which * members.length), 1)) {
              line.leave(member);
              expect(member.linePlace).toBeNull();
            }
          }
          expect(line.first).toBe(members[0]);
          expect(line.size).toBe(members.length);
        }
        for (const member of members) {
          expect(line.first).toBe(member);
          line.leave(member);
        }
        expect(line.first).toBeUndefined();
      }),
      { seed: 1 },
    );
  });

  it('has no more places than members, twice over, though its first one stays for ever', () => {
    const line = new Line<Named>();
    const [first, others] = [named('first'), [named('a'), named('b'), named('c')]];
    for (const member of [first, ...others]) line.join(member);
    for (let round = 0; round < 1000; round += 1) {
      for (const member of others) {
        line.leave(member);
        line.join(member);
        expect(member.linePlace).toBeLessThan(16);
      }
    }
    line.leave(first);
    expect(line.first?.name).toBe('a');
  });

  it('lets a member leave twice, and join again', () => {
    const line = new Line<Named>();
    const [a, b] = [named('a'), named('b')];
    line.join(a);
    line.join(b);
    line.leave(a);
    line.leave(a);
    expect(line.size).toBe(1);
    line.join(a);
    expect(line.first).toBe(b);
  });
});
