import { AssertionError } from 'node:assert';
import { describe, expect, it } from 'vitest';
import type { Proof, Suite } from '../suite.ts';

/** The harnesses that each test case must fail: by the title of the test case, then by their fault. */
export type FaultyHarnesses<Harness> = Readonly<Record<string, Readonly<Record<string, Harness>>>>;

/** The only error that a faulty storage may throw: other errors, except failed assertions, are mistakes in the test. */
export class Outage extends Error {}

/** Registers tests that each test case of a suite passes for the reference, and fails for each faulty harness. */
export function expectFaultsNoticed<Fixture, Harness>(
  suite: Suite<Fixture>,
  faulty: FaultyHarnesses<Harness>,
  reference: Harness,
  tryOn: (harness: Harness, prove: Proof<Fixture>) => Promise<void>,
): void {
  describe(suite.name, () => {
    it('has at least one faulty store for every case', () => {
      expect(Object.keys(faulty).sort()).toEqual(Object.keys(suite.cases).sort());
    });

    for (const [title, prove] of Object.entries(suite.cases)) {
      it(`case "${title}" passes on the reference store`, () => tryOn(reference, prove));

      for (const [fault, harness] of Object.entries(faulty[title] ?? {})) {
        it(`case "${title}" detects a store that ${fault}`, async () => {
          const failure = await tryOn(harness, prove).catch((error: unknown) => error);
          expect([AssertionError, Outage]).toContain((failure as object | undefined)?.constructor);
        });
      }
    }
  });
}
