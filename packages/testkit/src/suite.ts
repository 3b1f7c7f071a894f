import assert from 'node:assert/strict';
import type { Ability } from './storage-harness.ts';
import type { TestRunner } from './test-runner.ts';

/**
 * Proves a claim: resolves if it holds for what it is tried on, and rejects if it does not. A proof is the body of a
 * test, a trial its fixture.
 */
export type Proof<Tried> = (tried: Tried) => Promise<void>;

/** One capability: its claims, in words, and how each is proved. */
export interface Suite<Tried> {
  readonly name: string;
  /** What the harness must be able to do for it. */
  readonly needs?: Ability;
  readonly claims: Readonly<Record<string, Proof<Tried>>>;
}

/** What harnesses of any kind have. */
interface Openable {
  readonly open: unknown;
  readonly abilities?: readonly Ability[];
}

/** @param tryOn - Runs one proof, on a newly opened storage or table. */
export function registerSuites<Tried, Harness extends Openable>(
  runner: TestRunner,
  suites: readonly Suite<Tried>[],
  harness: Harness,
  tryOn: (harness: Harness, prove: Proof<Tried>) => Promise<void>,
): void {
  for (const { name, needs, claims } of suites) {
    runner.describe(name, () => {
      for (const [claim, prove] of Object.entries(claims)) {
        if (needs === undefined || harness.abilities?.includes(needs)) {
          runner.it(claim, () => tryOn(harness, prove));
        } else {
          skip(runner, claim, needs);
        }
      }
    });
  }
}

/** What was not tried has not passed: a runner that cannot skip reports it as failed. */
export function skip({ it }: TestRunner, claim: string, needs: Ability): void {
  const title = `${claim} (not tried: the harness lacks the ability '${needs}')`;
  const body = async () => assert.fail(title);
  if (it.skip === undefined) it(title, body);
  else it.skip(title, body);
}
