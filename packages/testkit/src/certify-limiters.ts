import { systemClock } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { assertHarness } from './assert-harness.ts';
import { type Fixture, tryOnNew } from './fixtures/fixture.ts';
import type { StorageHarness } from './storage-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import { limiterCounting } from './suites/limiters/limiter-counting.ts';
import { limiterLocks } from './suites/limiters/limiter-locks.ts';
import type { TestRunner } from './test-runner.ts';
import type { TurnableClock } from './time/turnable-clock.ts';

/** The clock of the system, which ignores `advance` and `setBack`. */
const realTime: TurnableClock = { ...systemClock, advance() {}, setBack() {} };

/** The contract of limiters. */
const LIMITER_SUITES: readonly Suite<Fixture<Storage>>[] = [limiterCounting, limiterLocks];

/**
 * Registers the tests for a storage that has `limiters`. Limiters may take the time from a server, so the harness gets
 * the clock of the system, and one of the tests waits for a second.
 */
export function certifyLimiters(runner: TestRunner, harness: StorageHarness): void {
  assertHarness('certifyLimiters', runner, harness);
  const inRealTime: StorageHarness = {
    ...harness,
    open: (options) => harness.open({ ...options, clock: realTime }),
  };
  registerSuites(runner, LIMITER_SUITES, inRealTime, tryOnNew);
}
