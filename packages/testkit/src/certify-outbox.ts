import type { SqlTransaction } from '@latchhook/core';
import { assertHarness } from './assert-harness.ts';
import { tryWebhooks, type WebhookHarness } from './fixtures/webhook-fixture.ts';
import { type Proof, registerSuites } from './suite.ts';
import { deliveryOutbox, type OutboxFixture } from './suites/deliveries/delivery-outbox.ts';
import type { TestRunner } from './test-runner.ts';
import { registerTextAccountSuites } from './text-account-suites.ts';

/** A transaction of the host in the database of the storage. Several of them may be open. */
export interface HostTransaction extends SqlTransaction {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/**
 * Registers the tests for a storage that publishes messages within transactions of the host.
 *
 * @param begin - begins a transaction of the host
 */
export function certifyOutbox(
  runner: TestRunner,
  harness: WebhookHarness,
  begin: () => Promise<HostTransaction>,
): void {
  assertHarness('certifyOutbox', runner, harness);
  const tryOutbox = (opens: WebhookHarness, prove: Proof<OutboxFixture>) =>
    tryWebhooks(opens, (fixture) => prove(Object.assign(fixture, { begin })));
  registerSuites(runner, [deliveryOutbox], harness, tryOutbox);
  registerTextAccountSuites(runner, [deliveryOutbox], harness, tryOutbox);
}
