import { assertHarness } from './assert-harness.ts';
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
import { webhookAgreement } from './suites/webhooks/webhook-agreement.ts';
import { webhookAtRest } from './suites/webhooks/webhook-at-rest.ts';
import { webhookDisturbance } from './suites/webhooks/webhook-disturbance.ts';
import { webhookRaces } from './suites/webhooks/webhook-races.ts';
import { webhookRegistry } from './suites/webhooks/webhook-registry.ts';
import { webhookRemoval } from './suites/webhooks/webhook-removal.ts';
import { webhookResealing } from './suites/webhooks/webhook-resealing.ts';
import { webhookResends } from './suites/webhooks/webhook-resends.ts';
import { webhookSecrets } from './suites/webhooks/webhook-secrets.ts';
import type { TestRunner } from './test-runner.ts';
import { tryWebhooks, type WebhookHarness, type WebhookTrial } from './trials/webhook-trial.ts';

/** Everything that the contracts of webhooks and deliveries promise. */
const WEBHOOK_SUITES: readonly Suite<WebhookTrial>[] = [
  webhookRegistry,
  webhookSecrets,
  webhookResealing,
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
  webhookAgreement,
];

/**
 * Registers the tests that a storage must pass if it keeps webhooks and their deliveries, whatever else it keeps.
 */
export function certifyWebhooks(runner: TestRunner, harness: WebhookHarness): void {
  assertHarness('certifyWebhooks', runner, harness);
  registerSuites(runner, WEBHOOK_SUITES, harness, tryWebhooks);
}
