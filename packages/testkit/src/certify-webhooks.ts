import { assertHarness } from './assert-harness.ts';
import { registerSuites, type Suite } from './suite.ts';
import { deliveryAttempts } from './suites/webhooks/delivery-attempts.ts';
import { deliveryBacklog } from './suites/webhooks/delivery-backlog.ts';
import { deliveryForgotten } from './suites/webhooks/delivery-forgotten.ts';
import { deliveryForgottenTimes } from './suites/webhooks/delivery-forgotten-times.ts';
import { deliveryIdempotency } from './suites/webhooks/delivery-idempotency.ts';
import { deliveryInFlight } from './suites/webhooks/delivery-in-flight.ts';
import { deliveryLag } from './suites/webhooks/delivery-lag.ts';
import { deliveryLog } from './suites/webhooks/delivery-log.ts';
import { deliveryLost } from './suites/webhooks/delivery-lost.ts';
import { deliveryOverdue } from './suites/webhooks/delivery-overdue.ts';
import { deliveryOverdueTime } from './suites/webhooks/delivery-overdue-time.ts';
import { deliveryParked } from './suites/webhooks/delivery-parked.ts';
import { deliveryPauses } from './suites/webhooks/delivery-pauses.ts';
import { deliveryPending } from './suites/webhooks/delivery-pending.ts';
import { deliveryPublishing } from './suites/webhooks/delivery-publishing.ts';
import { deliveryRaces } from './suites/webhooks/delivery-races.ts';
import { deliveryRate } from './suites/webhooks/delivery-rate.ts';
import { deliveryResending } from './suites/webhooks/delivery-resending.ts';
import { deliveryTurns } from './suites/webhooks/delivery-turns.ts';
import { deliveryWaking } from './suites/webhooks/delivery-waking.ts';
import { deliveryWithdrawn } from './suites/webhooks/delivery-withdrawn.ts';
import { deliveryWithdrawnOrder } from './suites/webhooks/delivery-withdrawn-order.ts';
import { webhookAgreement } from './suites/webhooks/webhook-agreement.ts';
import { webhookDisabling } from './suites/webhooks/webhook-disabling.ts';
import { webhookDisturbance } from './suites/webhooks/webhook-disturbance.ts';
import { webhookEnabling } from './suites/webhooks/webhook-enabling.ts';
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
  deliveryIdempotency,
  deliveryRate,
  deliveryPauses,
  deliveryBacklog,
  deliveryInFlight,
  deliveryLost,
  deliveryParked,
  deliveryWaking,
  deliveryTurns,
  deliveryForgotten,
  deliveryForgottenTimes,
  deliveryWithdrawn,
  deliveryWithdrawnOrder,
  deliveryAttempts,
  deliveryLog,
  webhookDisabling,
  webhookEnabling,
  deliveryResending,
  webhookRemoval,
  deliveryPending,
  deliveryOverdueTime,
  deliveryOverdue,
  deliveryLag,
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
  registerSuites(runner, WEBHOOK_SUITES, (prove) => tryWebhooks(harness, prove));
}
