import { AssertionError } from 'node:assert';
import { describe, expect, it } from 'vitest';
import type { Proof, Suite } from '../suite.ts';

/** For each claim of a suite, the harnesses that must fail it, by what is wrong with them. */
export type Broken<Harness> = Readonly<Record<string, Readonly<Record<string, Harness>>>>;

/** What a broken storage may throw: anything else, except a failed assertion, is a mistake in the test. */
export class Outage extends Error {}

/** A claim that nothing can fail claims nothing: each must hold for the reference, and fail for a broken storage. */
export function expectFaultsNoticed<Tried, Harness>(
  suite: Suite<Tried>,
  broken: Broken<Harness>,
  reference: Harness,
  tryOn: (harness: Harness, prove: Proof<Tried>) => Promise<void>,
): void {
  describe(suite.name, () => {
    it('has at least one faulty storage for every case', () => {
      expect(Object.keys(broken).sort()).toEqual(Object.keys(suite.cases).sort());
    });

    for (const [claim, prove] of Object.entries(suite.cases)) {
      it(`${claim}: holds for the reference`, () => tryOn(reference, prove));

      for (const [fault, harness] of Object.entries(broken[claim] ?? {})) {
        it(`${claim}: fails if a storage ${fault}`, async () => {
          const failure = await tryOn(harness, prove).catch((error: unknown) => error);
          expect([AssertionError, Outage]).toContain((failure as object | undefined)?.constructor);
        });
      }
    }
  });
}
