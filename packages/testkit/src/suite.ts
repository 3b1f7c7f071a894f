import assert from 'node:assert/strict';
import type { Ability } from './storage-harness.ts';
import type { TestRunner } from './test-runner.ts';

/**
 * Proves a each: resolves if it holds for what it is tried on, and rejects if it does not. A proof is the body of a
 * test.
 */
export type Proof<Tried> = (tried: Tried) => Promise<void>;

/** One capability: its test cases, in words, and how each is proved. */
export type Suite<Tried> = CaseSuite<Proof<Tried>>;

export interface CaseSuite<Case> {
  readonly name: string;
  /** What the harness must be able to do for it. */
  readonly needs?: Ability;
  readonly cases: Readonly<Record<string, Case>>;
}

/** What harnesses of any kind have. */
interface Openable {
  readonly open: unknown;
  readonly abilities?: readonly Ability[];
}

/** @param tryOn - Runs one proof, on a newly opened storage or table. */
export function registerSuites<Case, Group extends CaseSuite<Case>, Harness extends Openable>(
  runner: TestRunner,
  suites: readonly (Group & CaseSuite<Case>)[],
  harness: Harness,
  tryOn: (harness: Harness, each: Case, suite: Group) => Promise<void>,
): void {
  for (const suite of suites) {
    runner.describe(suite.name, () => {
      for (const [title, each] of Object.entries(suite.cases)) {
        if (isAble(harness, suite.needs)) runner.it(title, () => tryOn(harness, each, suite));
        else skip(runner, title, suite.needs);
      }
    });
  }
}

export function isAble({ abilities }: Pick<Openable, 'abilities'>, needs?: Ability): boolean {
  return needs === undefined || abilities?.includes(needs) === true;
}

/** What was not tried has not passed: a runner that cannot skip reports it as failed. */
export function skip({ it }: TestRunner, name: string, needs?: Ability): void {
  const title = `${name} (not tried: the harness lacks the ability '${needs}')`;
  const body = async () => assert.fail(title);
  if (it.skip === undefined) it(title, body);
  else it.skip(title, body);
}
