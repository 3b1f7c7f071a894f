import { assertHarness } from './assert-harness.ts';
import {
  tryWebhooks,
  type WebhookFixture,
  type WebhookHarness,
} from './fixtures/webhook-fixture.ts';
import { registerSuites, type Suite } from './suite.ts';
import { deliveryBackoffs } from './suites/deliveries/delivery-backoffs.ts';
import { deliveryCaps } from './suites/deliveries/delivery-caps.ts';
import { deliveryDuplicates } from './suites/deliveries/delivery-duplicates.ts';
import { deliveryEnds } from './suites/deliveries/delivery-ends.ts';
import { deliveryLeases } from './suites/deliveries/delivery-leases.ts';
import { deliveryNotifications } from './suites/deliveries/delivery-notifications.ts';
import { deliveryOrder } from './suites/deliveries/delivery-order.ts';
import { deliveryPublishing } from './suites/deliveries/delivery-publishing.ts';
import { deliveryRaces } from './suites/deliveries/delivery-races.ts';
import { deliveryRate } from './suites/deliveries/delivery-rate.ts';
import { deliveryReading } from './suites/deliveries/delivery-reading.ts';
import { deliveryResending } from './suites/deliveries/delivery-resending.ts';
import { deliveryWebhooks } from './suites/deliveries/delivery-webhooks.ts';
import { webhookAccounts } from './suites/webhooks/webhook-accounts.ts';
import { webhookAtRest } from './suites/webhooks/webhook-at-rest.ts';
import { webhookDisturbance } from './suites/webhooks/webhook-disturbance.ts';
import { webhookModel } from './suites/webhooks/webhook-model.ts';
import { webhookRaces } from './suites/webhooks/webhook-races.ts';
import { webhookReencryption } from './suites/webhooks/webhook-re-encryption.ts';
import { webhookRegistry } from './suites/webhooks/webhook-registry.ts';
import { webhookRemoval } from './suites/webhooks/webhook-removal.ts';
import { webhookRepeats } from './suites/webhooks/webhook-repeats.ts';
import { webhookSecrets } from './suites/webhooks/webhook-secrets.ts';
import type { TestRunner } from './test-runner.ts';
import { registerTextAccountSuites } from './text-account-suites.ts';

/** The contracts of webhooks and deliveries. */
const WEBHOOK_SUITES: readonly Suite<WebhookFixture>[] = [
  webhookRegistry,
  webhookAccounts,
  webhookSecrets,
  webhookReencryption,
  deliveryPublishing,
  deliveryDuplicates,
  deliveryOrder,
  deliveryRate,
  deliveryLeases,
  deliveryCaps,
  deliveryEnds,
  deliveryWebhooks,
  deliveryBackoffs,
  deliveryResending,
  deliveryReading,
  deliveryNotifications,
  webhookRemoval,
  webhookAtRest,
  webhookRaces,
  deliveryRaces,
  webhookRepeats,
  webhookDisturbance,
  webhookModel,
];

/** The suites in which an account id reaches a key, a query, a cursor or a record. */
const TEXT_ACCOUNT_SUITES: readonly Suite<WebhookFixture>[] = [
  webhookRegistry,
  webhookReencryption,
  webhookRemoval,
  webhookRepeats,
  deliveryDuplicates,
  deliveryEnds,
  deliveryWebhooks,
  deliveryResending,
  deliveryReading,
];

/** Registers the tests for a storage that has `webhooks` and `deliveries`. */
export function certifyWebhooks(runner: TestRunner, harness: WebhookHarness): void {
  assertHarness('certifyWebhooks', runner, harness);
  registerSuites(runner, WEBHOOK_SUITES, harness, tryWebhooks);
  registerTextAccountSuites(runner, TEXT_ACCOUNT_SUITES, harness, tryWebhooks);
}
