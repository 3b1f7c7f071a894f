import type { StartRequest, Verdict } from '../delivery-requests.ts';
import type { NewMessage } from '../new-message.ts';
import type { WebhookChange, WebhookRef } from '../webhook-store.ts';
import { MemoryDeliveryStore } from './memory-delivery-store.ts';
import { MemoryWebhookStore } from './memory-webhook-store.ts';
import { WebhookStates } from './webhook-states.ts';

export const ref = { accountId: 1, webhookId: 'wh_1' };

/** A store of deliveries with one webhook, whose time stands still until `advance` is called. */
export async function setUp(change: WebhookChange = {}, maxDelivered = 100) {
  const time = { nowMs: Date.UTC(2026, 0, 1), steadyMs: 0 };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.steadyMs };
  const states = new WebhookStates(clock, { maxDelivered });
  const webhooks = new MemoryWebhookStore(states);
  const deliveries = new MemoryDeliveryStore(states);
  const settings = {
    event: 'Contact.Added',
    url: 'https://receiver.example',
    rateLimit: 5,
    rateLimitPeriod: 'second',
    sealedSecret: 'sealed',
    ...change,
  } as const;
  const create = (webhook: WebhookRef) =>
    webhooks.create({ ...settings, ...webhook }, { maxPerAccount: 10 });
  await create(ref);
  const runs = new Map<string, number>();

  async function start(deliveryId: string, more: Partial<StartRequest> = {}) {
    return deliveries.start({
      ...ref,
      deliveryId,
      run: runs.get(deliveryId) ?? 1,
      leaseMs: 5000,
      maxInFlight: 100,
      maxLostAttempts: 3,
      rateMarginMs: 0,
      withdrawnStartAtMs: null,
      ...more,
    });
  }

  return {
    time,
    states,
    webhooks,
    deliveries,
    runs,
    create,
    start,
    advance(ms: number) {
      time.nowMs += ms;
      time.steadyMs += ms;
    },
    publish: (messageId: string, more: Partial<NewMessage> = {}) =>
      deliveries.publish({
        accountId: 1,
        messageId,
        event: 'Contact.Added',
        body: '{}',
        webhookId: null,
        idempotencyKey: null,
        idempotencyMs: 60_000,
        retentionMs: 60_000,
        maxQueued: 8,
        rateMarginMs: 0,
        ...more,
      }),
    finish: (
      deliveryId: string,
      attempt: number,
      verdict: Verdict,
      durationMs = 10,
      webhook: WebhookRef = ref,
    ) =>
      deliveries.finish({
        ...webhook,
        deliveryId,
        attempt,
        result: { status: null, durationMs, error: null, response: null },
        verdict,
        disableAfterMs: 20_000,
        pauseMs: 0,
        maxInFlight: 10,
      }),
    /** Starts an attempt of the delivery, and ends it at once. */
    async attempt(deliveryId: string, verdict: Verdict, webhook: WebhookRef = ref) {
      const outcome = await start(deliveryId, webhook);
      if (outcome.outcome !== 'started') throw new Error(`is ${outcome.outcome}`);
      return this.finish(deliveryId, outcome.attempt, verdict, 10, webhook);
    },
  };
}

export type DeliveryScene = Awaited<ReturnType<typeof setUp>>;
