import { assertHarness } from './assert-harness.ts';
import { type StartupFixture, tryStartup } from './fixtures/startup-fixture.ts';
import type { StorageHarness } from './storage-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import { storeInstances } from './suites/startup/store-instances.ts';
import { storeReadiness } from './suites/startup/store-readiness.ts';
import type { TestRunner } from './test-runner.ts';

/** The contract of the startup of an app. */
const STARTUP_SUITES: readonly Suite<StartupFixture>[] = [storeReadiness, storeInstances];

/** Registers the tests for a storage that was made by `ofOneStore` with `startup`. */
export function certifyStartup(runner: TestRunner, harness: StorageHarness): void {
  assertHarness('certifyStartup', runner, harness);
  registerSuites(runner, STARTUP_SUITES, harness, tryStartup);
}
