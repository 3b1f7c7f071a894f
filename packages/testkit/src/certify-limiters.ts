import { assertHarness } from './assert-harness.ts';
import { type LoginFixture, tryLogins } from './fixtures/login-fixture.ts';
import type { StorageHarness } from './storage-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import { limiterCounting } from './suites/limiters/limiter-counting.ts';
import { limiterLocks } from './suites/limiters/limiter-locks.ts';
import type { TestRunner } from './test-runner.ts';

/** What the limiters of a storage promise. */
const LIMITER_SUITES: readonly Suite<LoginFixture>[] = [limiterCounting, limiterLocks];

/**
 * Registers the tests for `storage.limiters`, if a storage has them. Limiters run on their own clock, so one of the
 * tests waits for a second.
 */
export function certifyLimiters(runner: TestRunner, harness: StorageHarness): void {
  assertHarness('certifyLimiters', runner, harness);
  registerSuites(runner, LIMITER_SUITES, harness, tryLogins);
}
