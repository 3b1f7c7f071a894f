import { createCallGuard, PendingCalls } from '../../faults/call-guard.ts';
import { createSecretRing } from '../../keys/secret-ring.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type {
  AttemptOutcome,
  ClaimedAttempt,
  DeliveryStore,
} from '../../storage/delivery-store.ts';
import { memoryStorage } from '../../storage/memory/memory-storage.ts';
import { WEBHOOK_EVENTS } from '../../webhook-events.ts';
import { createWebhookParts } from '../create-webhook-parts.ts';
import type { DeliveryContext } from '../deliveries/delivery-context.ts';
import type { DeliveryPolicy } from '../deliveries/delivery-policy.ts';
import type { WebhookFields } from './webhook-fields.ts';
import type { Requester } from './webhook-registry.ts';

/** A policy with lower limits than the defaults, so that tests can reach them. */
export const policy: DeliveryPolicy = {
  maxWebhooksPerAccount: 2,
  retentionMs: 86_400_000,
  idempotencyMs: 86_400_000,
  maxQueuedPerWebhook: 2_000,
  maxInFlightPerWebhook: 2_000,
  maxInFlightPerAccount: 2_000,
  disableAfterMs: 86_400_000,
  secretOverlapMs: 3_600_000,
  leaseMs: 20_000,
  maxStalledAttempts: 5,
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

export const FIELDS: WebhookFields = { event: 'Contact.Added', url: 'https://example.com' };

/** Webhooks on a store in memory, with a worker that sends nothing. */
export function fixture(change: Partial<DeliveryPolicy> = {}) {
  const clock = { now: 1_795_171_200_000, nowMs: () => clock.now };
  const { webhooks: store, deliveries, limiters } = memoryStorage({ clock });
  const events: SecurityEvent[] = [];
  const contexts: DeliveryContext[] = [];
  const calls: string[] = [];
  const webhooks = createWebhookParts({
    accountIdKind: 'integer',
    stores: { webhooks: store, deliveries },
    callStorage: createCallGuard('storage'),
    limiters,
    encryption: createSecretRing([Buffer.alloc(32, 1)]),
    startWorker(context) {
      contexts.push(context);
      return {
        async drain({ deadlineMs }) {
          calls.push(`drain ${deadlineMs}`);
          return { outcome: 'deadline' };
        },
        close: async () => void calls.push('close'),
      };
    },
    users: { findById: async () => null },
    pending: new PendingCalls(),
    eventTypes: new Map(WEBHOOK_EVENTS.map((name) => [name, {}])),
    policy: { ...policy, ...change },
    clock,
    emit: (event) => void events.push(event),
  });
  return { ...webhooks, store, deliveryStore: deliveries, contexts, calls, clock, emitted: events };
}

export type Fixture = ReturnType<typeof fixture>;

/** Registers a webhook of account 1. */
export async function register({ registry }: Fixture, fields: Partial<WebhookFields> = {}) {
  const created = await registry.create(1, { ...FIELDS, ...fields }, requestingUser);
  if (created.outcome !== 'created') throw new Error(`the webhook is ${created.outcome}`);
  const { webhook, secret } = created;
  return { ref: { accountId: 1, webhookId: webhook.webhookId }, webhook, secret };
}

/** Publishes `count` events of account 1 in parallel. */
export function publish({ events }: Fixture, count = 1) {
  const message = { accountId: 1, data: { contactId: 'c_1' } };
  return Promise.all(Array.from({ length: count }, () => events.publish('Contact.Added', message)));
}

/** Claims all attempts that may start now. */
export async function claimAllDue({ deliveryStore }: { readonly deliveryStore: DeliveryStore }) {
  const claimed: ClaimedAttempt[] = [];
  for (;;) {
    const { attempts, nextInMs } = await deliveryStore.claim({
      limit: 1_000,
      leaseMs: 20_000,
      rateMarginMs: 0,
      maxStalledAttempts: 5,
      maxInFlightPerWebhook: 2_000,
      maxInFlightPerAccount: 2_000,
    });
    claimed.push(...attempts);
    if (nextInMs !== 0) return claimed;
  }
}

/** Completes attempts, all with the same outcome. */
export async function endAttempts(
  { deliveryStore }: { readonly deliveryStore: DeliveryStore },
  attempts: readonly ClaimedAttempt[],
  outcome: AttemptOutcome,
): Promise<void> {
  const result = { status: 500, durationMs: 1, error: null };
  await deliveryStore.complete(
    attempts.map((attempt) => ({
      ...attempt,
      outcome,
      result,
      backoffMs: 0,
      url: attempt.webhook.url,
    })),
    { disableAfterMs: policy.disableAfterMs },
  );
}

/** Claims all attempts that may start now, and completes them as failed. */
export async function failAllDue(at: Fixture, reason: 'exhausted' | 'gone'): Promise<void> {
  await endAttempts(at, await claimAllDue(at), { kind: 'failed', reason });
}

export function deliveryIdsOf(deliveries: readonly { readonly deliveryId: string }[]): string[] {
  return deliveries.map(({ deliveryId }) => deliveryId);
}
