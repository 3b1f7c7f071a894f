import type { TestRunner } from './test-runner.ts';

/**
 * Proves a claim: resolves if it holds for what it is tried on, and rejects if it does not. A proof is the body of a
 * test, a trial its fixture.
 */
export type Proof<Tried> = (tried: Tried) => Promise<void>;

/** One capability: its claims, in words, and how each is proved. */
export interface Suite<Tried> {
  readonly name: string;
  readonly claims: Readonly<Record<string, Proof<Tried>>>;
}

/** @param tryOn - Runs one proof, on a newly opened storage or table. */
export function registerSuites<Tried>(
  { describe, it }: TestRunner,
  suites: readonly Suite<Tried>[],
  tryOn: (prove: Proof<Tried>) => Promise<void>,
): void {
  for (const suite of suites) {
    describe(suite.name, () => {
      for (const [claim, prove] of Object.entries(suite.claims)) it(claim, () => tryOn(prove));
    });
  }
}
