import type {
  DeliveryStore,
  LinePosition,
  RescheduledDelivery,
  WebhookRef,
} from '@latchhook/core/storage';
import { describe, expect, it } from 'vitest';
import {
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  starting,
} from '../support/storage/webhook-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('a changed rate', () => {
  it('reschedules all that wait, however many forgotten ones are in between', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const webhook = newWebhook('wh_1', { rateLimit: 10_000 });
    await webhooks.create(webhook, LIMITS);
    const ids = Array.from({ length: 30 }, (_, nth) => `m${nth}`);
    const forgotten = ids.slice(4, 9);
    for (const id of ids) {
      await deliveries.publish(newMessage(id, forgotten.includes(id) ? { retentionMs: 1000 } : {}));
      await deliveries.start(starting(deliveryTo('wh_1', id)));
      await deliveries.finish(
        finishing(deliveryTo('wh_1', id), 1, { kind: 'dead', reason: 'exhausted' }),
      );
    }
    await webhooks.change(webhook, { rateLimit: 1, rateLimitPeriod: 'minute' });
    for (const id of ids) await deliveries.resend(deliveryTo('wh_1', id));
    for (const id of ['q0', 'q1']) await deliveries.publish(newMessage(id));
    clock.advance(1000);
    await webhooks.change(webhook, { rateLimit: 10_000, rateLimitPeriod: 'second' });
    const rescheduled = await rescheduledTo({ deliveries, webhook, limit: 10, maxInFlight: 10 });
    expect(rescheduled).toEqual([...ids.filter((id) => !forgotten.includes(id)), 'q0', 'q1']);
  });

  it.each([1, 2, 3, 100])(
    'reschedules all that are not parked, among however many that are, in pages of %i',
    async (limit) => {
      const { webhooks, deliveries } = await openWebhookStores();
      const webhook = newWebhook('wh_1', { rateLimit: 10_000 });
      await webhooks.create(webhook, LIMITS);
      const ids = Array.from({ length: 900 }, (_, nth) => `m${nth}`);
      const notParked = [1, 2, 5, 300, 301, 640, 899].map((nth) => `m${nth}`);
      await Promise.all(ids.map((id) => deliveries.publish(newMessage(id))));
      const one = { maxInFlight: 1 };
      await deliveries.start(starting(deliveryTo('wh_1', 'm0'), one));
      const parked = ids.slice(1).filter((id) => !notParked.includes(id));
      await Promise.all(
        parked.map((id) => deliveries.start(starting(deliveryTo('wh_1', id), one))),
      );
      expect(await rescheduledTo({ deliveries, webhook, limit, ...one })).toEqual(notParked);
      // They are parked from there on.
      expect(await rescheduledTo({ deliveries, webhook, limit, ...one })).toEqual([]);
    },
  );

  it('fills each page but the last, even if more is forgotten than one call looks at', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const webhook = newWebhook('wh_1', { rateLimit: 10_000 });
    await webhooks.create(webhook, LIMITS);
    const publish = (id: string) =>
      deliveries.publish(newMessage(id, /^[rq]-kept/.test(id) ? {} : { retentionMs: 1000 }));
    const amidForgotten = (line: string) => [
      `${line}-kept-1`,
      ...Array.from({ length: 600 }, (_, nth) => `${line}-forgotten-${nth}`),
      `${line}-kept-2`,
    ];
    const retries = amidForgotten('r');
    await Promise.all(retries.map(publish));
    for (const id of retries) {
      const verdict = { kind: 'dead', reason: 'exhausted' } as const;
      await deliveries.start(starting(deliveryTo('wh_1', id)));
      await deliveries.finish(finishing(deliveryTo('wh_1', id), 1, verdict));
    }
    await webhooks.change(webhook, { rateLimit: 1, rateLimitPeriod: 'minute' });
    await Promise.all(retries.map((id) => deliveries.resend(deliveryTo('wh_1', id))));
    await Promise.all(amidForgotten('q').map(publish));
    clock.advance(1000);
    const page = { rateMarginMs: 0, maxInFlight: 10, leaseMs: 20_000, limit: 10 };
    const rescheduled = await deliveries.reschedule(webhook, { ...page, after: null });
    const kept = ['r-kept-1', 'r-kept-2', 'q-kept-1', 'q-kept-2'];
    expect(rescheduled?.map(({ deliveryId }) => deliveryId)).toEqual(kept);
    const rest = await deliveries.reschedule(webhook, {
      ...page,
      after: rescheduled?.[1]?.position ?? null,
    });
    expect(rest?.map(({ deliveryId }) => deliveryId)).toEqual(kept.slice(2));
  });
});

/** The ids of all that are rescheduled, page by page. */
async function rescheduledTo({
  deliveries,
  webhook,
  limit,
  maxInFlight,
}: {
  readonly deliveries: DeliveryStore;
  readonly webhook: WebhookRef;
  readonly limit: number;
  readonly maxInFlight: number;
}): Promise<readonly string[]> {
  const rescheduled: string[] = [];
  for (let after: LinePosition | null = null; ; ) {
    const request = { rateMarginMs: 0, maxInFlight, leaseMs: 20_000, limit, after };
    const page: readonly RescheduledDelivery[] =
      (await deliveries.reschedule(webhook, request)) ?? [];
    rescheduled.push(...page.map(({ deliveryId }) => deliveryId));
    if (page.length < limit) return rescheduled;
    after = page.at(-1)?.position ?? null;
  }
}
