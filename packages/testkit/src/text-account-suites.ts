import type { Storage } from '@latchhook/core/storage';
import { namingAccountsByTexts } from './fixtures/text-accounts.ts';
import type { StorageHarness } from './storage-harness.ts';
import { type Proof, registerSuites, type Suite } from './suite.ts';
import type { TestRunner } from './test-runner.ts';

/** Registers suites once more, for an app whose account ids are texts. */
export function registerTextAccountSuites<Tried, Connection extends Partial<Storage>>(
  runner: TestRunner,
  suites: readonly Suite<Tried>[],
  harness: StorageHarness<Connection>,
  tryOn: (harness: StorageHarness<Connection>, prove: Proof<Tried>) => Promise<void>,
): void {
  const again = suites.map((suite) => ({ ...suite, name: `${suite.name}, with text account ids` }));
  registerSuites(runner, again, namingAccountsByTexts(harness), tryOn);
}
