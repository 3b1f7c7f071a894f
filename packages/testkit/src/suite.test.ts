import { expect, it } from 'vitest';
import type { Ability } from './storage-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import type { RegisterTest } from './test-runner.ts';

const SUITE: Suite<null> = {
  name: 'disturbances',
  needs: 'disturb',
  cases: { 'change nothing': async () => {} },
};

/** What is registered, by whether it is to be run. */
function registered(abilities?: readonly Ability[]) {
  const run: string[] = [];
  const skipped: string[] = [];
  const it: RegisterTest = Object.assign((name: string) => run.push(name), {
    skip: (name: string) => skipped.push(name),
  });
  const runner = { describe: (_: string, body: () => void) => body(), it };
  registerSuites(runner, [SUITE], { open: null, ...(abilities && { abilities }) }, (_, prove) =>
    prove(null),
  );
  return { run, skipped };
}

const SKIPPED = "change nothing (not tried: the harness lacks the ability 'disturb')";

it('a suite runs the claims that the harness is able to', () => {
  expect(registered(['dump', 'disturb'])).toEqual({ run: ['change nothing'], skipped: [] });
});

it.each([[undefined], [['dump'] as const]])(
  'a suite skips the claims that the harness is not able to: %j',
  (abilities) => {
    expect(registered(abilities)).toEqual({ run: [], skipped: [SKIPPED] });
  },
);

it('a runner without `skip` reports those claims as failed', async () => {
  const tests: [string, () => Promise<void>][] = [];
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: (...test: (typeof tests)[number]) => tests.push(test),
  };
  registerSuites(runner, [SUITE], { open: null }, (_, prove) => prove(null));
  expect(tests.map(([name]) => name)).toEqual([SKIPPED]);
  await expect(tests[0]?.[1]()).rejects.toThrow(SKIPPED);
});
