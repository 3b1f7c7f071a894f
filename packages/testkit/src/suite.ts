import assert from 'node:assert/strict';
import type { Ability } from './storage-harness.ts';
import type { TestRunner } from './test-runner.ts';

/** The body of a test case: rejects if the storage under test fails it. */
export type Proof<Fixture> = (fixture: Fixture) => Promise<void>;

/** The test cases of one capability, by title. */
export type Suite<Fixture> = CaseSuite<Proof<Fixture>>;

export interface CaseSuite<Case> {
  readonly name: string;
  /** The optional method that the harness must have. */
  readonly needs?: Ability;
  readonly cases: Readonly<Record<string, Case>>;
}

/** @param heading - The name, also with the optional method of the harness that the suite needs. */
export function suiteOf<Fixture>(
  heading: string | { readonly name: string; readonly needs: Ability },
  cases: Suite<Fixture>['cases'],
): Suite<Fixture> {
  return typeof heading === 'string' ? { name: heading, cases } : { ...heading, cases };
}

/** The heading of a suite about disturbances, such as a lost script cache or connection, which change no result. */
export function disturbancesOf(subject: string): {
  readonly name: string;
  readonly needs: Ability;
} {
  return { name: `${subject}: disturbances that lose no data`, needs: 'disturb' };
}

export type DefineSuite<Fixture> = typeof suiteOf<Fixture>;

/** What every kind of harness has. */
interface AnyHarness {
  readonly open: unknown;
  readonly abilities?: readonly Ability[];
}

/** @param tryOn - Runs one test case on a newly opened storage or users table. */
export function registerSuites<Case, Group extends CaseSuite<Case>, Harness extends AnyHarness>(
  runner: TestRunner,
  suites: readonly (Group & CaseSuite<Case>)[],
  harness: Harness,
  tryOn: (harness: Harness, testCase: Case, suite: Group) => Promise<void>,
): void {
  for (const suite of suites) {
    runner.describe(suite.name, () => {
      for (const [title, testCase] of Object.entries(suite.cases)) {
        if (isAble(harness, suite.needs)) runner.it(title, () => tryOn(harness, testCase, suite));
        else skip(runner, title, suite.needs);
      }
    });
  }
}

export function isAble({ abilities }: Pick<AnyHarness, 'abilities'>, needs?: Ability): boolean {
  return needs === undefined || abilities?.includes(needs) === true;
}

/** Fails the test if the runner cannot skip, because a test that was not run has not passed. */
export function skip({ it }: TestRunner, name: string, needs?: Ability): void {
  const title = `${name} (not tried: the harness lacks the ability '${needs}')`;
  const body = async () => assert.fail(title);
  if (it.skip === undefined) it(title, body);
  else it.skip(title, body);
}
