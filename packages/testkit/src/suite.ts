import type { TestRunner } from './test-runner.ts';

/** Settles where the claim holds of what it is tried on, and throws where it does not. */
export type Proof<Tried> = (tried: Tried) => Promise<void>;

/** One capability: what is claimed of it, in words, and how each claim is proved. */
export interface Suite<Tried> {
  readonly name: string;
  readonly claims: Readonly<Record<string, Proof<Tried>>>;
}

/** @param tryOn Runs one proof, on something of its own. */
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
