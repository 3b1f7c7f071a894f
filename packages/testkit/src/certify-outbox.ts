import type { SqlTransaction } from '@latchhook/core';
import { assertHarness } from './assert-harness.ts';
import { registerSuites } from './suite.ts';
import { deliveryOutbox } from './suites/deliveries/delivery-outbox.ts';
import type { TestRunner } from './test-runner.ts';
import { tryWebhooks, type WebhookHarness } from './trials/webhook-trial.ts';

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
export function certifyOutbox(
  runner: TestRunner,
  harness: WebhookHarness,
  begin: () => Promise<HostTransaction>,
): void {
  assertHarness('certifyOutbox', runner, harness);
  registerSuites(runner, [deliveryOutbox], harness, (opens, prove) =>
    tryWebhooks(opens, (trial) => prove({ ...trial, begin })),
  );
}
