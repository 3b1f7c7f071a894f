import { createCallBoundary } from '../../faults/call-boundary.ts';
import { createSecretRing } from '../../keys/secret-ring.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { ScheduledDelivery } from '../../storage/delivery-outcomes.ts';
import type { Verdict } from '../../storage/delivery-requests.ts';
import { memoryStorage } from '../../storage/memory/memory-storage.ts';
import { createWebhookParts } from '../create-webhook-parts.ts';
import type { DeliveryContext } from '../deliveries/delivery-engine.ts';
import type { DeliveryPolicy } from '../deliveries/delivery-policy.ts';
import type { WebhookFields } from './webhook-fields.ts';
import type { Requester } from './webhook-registry.ts';

/** Smaller than the defaults where a test comes to the limit. */
export const policy: DeliveryPolicy = {
  maxWebhooksPerAccount: 2,
  retentionMs: 86_400_000,
  idempotencyMs: 86_400_000,
  maxQueuedPerWebhook: 2_000,
  maxInFlightPerWebhook: 10,
  disableAfterMs: 86_400_000,
  secretOverlapMs: 3_600_000,
  leaseMs: 20_000,
  maxLostAttempts: 5,
  rateMarginMs: 25,
  allowHttp: false,
  allowPrivateAddresses: false,
  allowedPorts: [443, 8443],
};

export const requestingUser: Requester = {
  actor: 'user',
  userId: 'ada',
  clientAddress: '192.0.2.1',
  userAgent: 'curl',
};

export const added: WebhookFields = { event: 'Contact.Added', url: 'https://example.com' };

/** Webhooks on a store in memory, with an engine that writes down what it is told. */
export function scene(change: Partial<DeliveryPolicy> = {}) {
  const clock = { now: 1_795_171_200_000, nowMs: () => clock.now };
  const { webhooks: store, deliveries, limiters } = memoryStorage({ clock });
  const events: SecurityEvent[] = [];
  const enqueued: ScheduledDelivery[] = [];
  const rescheduled: ScheduledDelivery[] = [];
  const contexts: DeliveryContext[] = [];
  /** How many had been rescheduled in the engine when it was closed. */
  const closedAfter: number[] = [];
  const emit = (event: SecurityEvent) => void events.push(event);
  const webhooks = createWebhookParts({
    stores: { webhooks: store, deliveries },
    callStorage: createCallBoundary('storage'),
    limiters,
    encryption: createSecretRing([Buffer.alloc(32, 1)]),
    engine: {
      name: 'recording',
      durable: false,
      sends: true,
      connect(context) {
        contexts.push(context);
        return {
          enqueue: async (batch) => void enqueued.push(...batch),
          reschedule: async (batch) => void rescheduled.push(...batch),
          async close() {
            closedAfter.push(rescheduled.length);
          },
        };
      },
    },
    callEngine: (call) => call(),
    schemas: new Map(),
    policy: { ...policy, ...change },
    clock,
    emit,
  });

  /** Makes the next attempt of a delivery and ends it. */
  async function attempt(run: ScheduledDelivery, verdict: Verdict): Promise<void> {
    const started = await deliveries.start({
      ...run,
      leaseMs: 20_000,
      maxInFlight: 10,
      maxLostAttempts: 5,
      rateMarginMs: 25,
      withdrawnStartAtMs: null,
    });
    if (started?.outcome !== 'started') throw new Error(`the attempt is ${started?.outcome}`);
    const result = { status: 500, durationMs: 1, error: 'status', response: null };
    await deliveries.finish({
      ...run,
      attempt: started.attempt,
      result,
      verdict,
      disableAfterMs: policy.disableAfterMs,
      pauseMs: 0,
      maxInFlight: policy.maxInFlightPerWebhook,
    });
  }

  const engine = { enqueued, rescheduled, contexts, closedAfter };
  return {
    ...webhooks,
    ...engine,
    store,
    deliveryStore: deliveries,
    clock,
    emitted: events,
    attempt,
  };
}

export type Scene = ReturnType<typeof scene>;

/** Registers a webhook of account 1. */
export async function register({ registry }: Scene, fields: Partial<WebhookFields> = {}) {
  const created = await registry.create(1, { ...added, ...fields }, requestingUser);
  if (created.outcome !== 'created') throw new Error(`the webhook is ${created.outcome}`);
  const { webhook, secret } = created;
  return { ref: { accountId: 1, webhookId: webhook.webhookId }, webhook, secret };
}

/** Publishes so many events of account 1, all at once. */
export function publish({ events }: Scene, count = 1) {
  const message = { accountId: 1, data: { contactId: 'c_1' } };
  return Promise.all(Array.from({ length: count }, () => events.publish('Contact.Added', message)));
}

export function namesOf(deliveries: readonly ScheduledDelivery[]): string[] {
  return deliveries.map(({ deliveryId }) => deliveryId);
}
