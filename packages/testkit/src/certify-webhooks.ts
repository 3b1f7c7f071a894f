import { assertHarness } from './assert-harness.ts';
import {
  tryWebhooks,
  type WebhookFixture,
  type WebhookHarness,
} from './fixtures/webhook-fixture.ts';
import { registerSuites, type Suite } from './suite.ts';
import { deliveryBackoffs } from './suites/deliveries/delivery-backoffs.ts';
import { deliveryCaps } from './suites/deliveries/delivery-caps.ts';
import { deliveryEnds } from './suites/deliveries/delivery-ends.ts';
import { deliveryLeases } from './suites/deliveries/delivery-leases.ts';
import { deliveryOrder } from './suites/deliveries/delivery-order.ts';
import { deliveryPublishing } from './suites/deliveries/delivery-publishing.ts';
import { deliveryPublishingAgain } from './suites/deliveries/delivery-publishing-again.ts';
import { deliveryRaces } from './suites/deliveries/delivery-races.ts';
import { deliveryRate } from './suites/deliveries/delivery-rate.ts';
import { deliveryReading } from './suites/deliveries/delivery-reading.ts';
import { deliveryResending } from './suites/deliveries/delivery-resending.ts';
import { deliveryWaking } from './suites/deliveries/delivery-waking.ts';
import { deliveryWebhooks } from './suites/deliveries/delivery-webhooks.ts';
import { webhookAccounts } from './suites/webhooks/webhook-accounts.ts';
import { webhookAtRest } from './suites/webhooks/webhook-at-rest.ts';
import { webhookDisturbance } from './suites/webhooks/webhook-disturbance.ts';
import { webhookModel } from './suites/webhooks/webhook-model.ts';
import { webhookRaces } from './suites/webhooks/webhook-races.ts';
import { webhookReencryption } from './suites/webhooks/webhook-re-encryption.ts';
import { webhookRegistry } from './suites/webhooks/webhook-registry.ts';
import { webhookRemoval } from './suites/webhooks/webhook-removal.ts';
import { webhookResends } from './suites/webhooks/webhook-resends.ts';
import { webhookSecrets } from './suites/webhooks/webhook-secrets.ts';
import type { TestRunner } from './test-runner.ts';
import { registerTextAccountSuites } from './text-account-suites.ts';

/** Everything that the contracts of webhooks and deliveries promise. */
const WEBHOOK_SUITES: readonly Suite<WebhookFixture>[] = [
  webhookRegistry,
  webhookAccounts,
  webhookSecrets,
  webhookReencryption,
  deliveryPublishing,
  deliveryPublishingAgain,
  deliveryOrder,
  deliveryRate,
  deliveryLeases,
  deliveryCaps,
  deliveryEnds,
  deliveryWebhooks,
  deliveryBackoffs,
  deliveryResending,
  deliveryReading,
  deliveryWaking,
  webhookRemoval,
  webhookAtRest,
  webhookRaces,
  deliveryRaces,
  webhookResends,
  webhookDisturbance,
  webhookModel,
];

/** Those in which the id of an account reaches a key, a query, a cursor or a record. */
const TEXT_ACCOUNT_SUITES: readonly Suite<WebhookFixture>[] = [
  webhookRegistry,
  webhookReencryption,
  webhookRemoval,
  webhookResends,
  deliveryPublishingAgain,
  deliveryEnds,
  deliveryWebhooks,
  deliveryResending,
  deliveryReading,
];

/**
 * Registers the tests that a storage must pass if it keeps webhooks and their deliveries, whatever else it keeps.
 */
export function certifyWebhooks(runner: TestRunner, harness: WebhookHarness): void {
  assertHarness('certifyWebhooks', runner, harness);
  registerSuites(runner, WEBHOOK_SUITES, harness, tryWebhooks);
  registerTextAccountSuites(runner, TEXT_ACCOUNT_SUITES, harness, tryWebhooks);
}
