import { type LoginTrial, tryLogins } from './login-trial.ts';
import type { StorageHarness } from './storage-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import { limiterCounting } from './suites/limiter-counting.ts';
import type { TestRunner } from './test-runner.ts';

/** What the limiters of a storage promise. */
const LIMITER_SUITES: readonly Suite<LoginTrial>[] = [limiterCounting];

/**
 * Registers the tests for `storage.limiters`, where a storage has them. They run on the limiters' own clock,
 * so that one of them waits for a second.
 */
export function certifyLimiters(runner: TestRunner, harness: StorageHarness): void {
  registerSuites(runner, LIMITER_SUITES, (prove) => tryLogins(harness, prove));
}
