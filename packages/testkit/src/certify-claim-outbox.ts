import type { SqlTransaction } from '@latchhook/core';
import { registerSuites } from './suite.ts';
import { claimOutbox } from './suites/claims/claim-outbox.ts';
import type { TestRunner } from './test-runner.ts';
import { type ClaimHarness, tryClaims } from './trials/claim-trial.ts';

/** A transaction of the host's, in the database of the storage. Any number of them are open at once. */
export interface HostTransaction extends SqlTransaction {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/**
 * Registers the tests that a storage must pass if messages can be published within transactions of the host.
 *
 * @param begin - begins a transaction of the host's
 */
export function certifyClaimOutbox(
  runner: TestRunner,
  harness: ClaimHarness,
  begin: () => Promise<HostTransaction>,
): void {
  registerSuites(runner, [claimOutbox], (prove) =>
    tryClaims(harness, (trial) => prove({ ...trial, begin })),
  );
}
