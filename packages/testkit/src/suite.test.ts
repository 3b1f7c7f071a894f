import { expect, it } from 'vitest';
import type { Ability } from './storage-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import type { RegisterTest } from './test-runner.ts';

const SUITE: Suite<null> = {
  name: 'disturbances',
  needs: 'disturb',
  cases: { 'change nothing': async () => {} },
};

/** Registers the suite, and returns the titles of run and of skipped tests. */
function registerSuite(abilities?: readonly Ability[]) {
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

it('registerSuites runs a suite if the harness has the ability it needs', () => {
  expect(registerSuite(['dump', 'disturb'])).toEqual({ run: ['change nothing'], skipped: [] });
});

it.each([
  ['no abilities', undefined],
  ['another ability', ['dump'] as const],
] as const)(
  'registerSuites skips a suite that needs an ability if the harness has %s',
  (_, abilities) => {
    expect(registerSuite(abilities)).toEqual({ run: [], skipped: [SKIPPED] });
  },
);

it('registerSuites fails cases that need a missing ability if the runner has no `skip`', async () => {
  const tests: [string, () => Promise<void>][] = [];
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: (...test: (typeof tests)[number]) => tests.push(test),
  };
  registerSuites(runner, [SUITE], { open: null }, (_, prove) => prove(null));
  expect(tests.map(([name]) => name)).toEqual([SKIPPED]);
  await expect(tests[0]?.[1]()).rejects.toThrow(SKIPPED);
});
