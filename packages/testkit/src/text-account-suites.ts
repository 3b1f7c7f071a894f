import type { Storage } from '@latchhook/core/storage';
import { nameAccountsByTexts } from './fixtures/text-accounts.ts';
import type { StorageHarness } from './storage-harness.ts';
import { type Proof, registerSuites, type Suite } from './suite.ts';
import type { TestRunner } from './test-runner.ts';

/**
 * Registers suites once more, with account ids that are texts.
 *
 * @param tryOn - Runs one test case on a newly opened storage.
 */
export function registerTextAccountSuites<Fixture, Connection extends Partial<Storage>>(
  runner: TestRunner,
  suites: readonly Suite<Fixture>[],
  harness: StorageHarness<Connection>,
  tryOn: (harness: StorageHarness<Connection>, prove: Proof<Fixture>) => Promise<void>,
): void {
  const renamed = suites.map((suite) => ({
    ...suite,
    name: `${suite.name}, with text account ids`,
  }));
  registerSuites(runner, renamed, nameAccountsByTexts(harness), tryOn);
}
