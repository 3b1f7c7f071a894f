import type { DeliveryStore } from '@latchhook/core/storage';
import { newWebhook } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { startsThat } from '../../self-test/faulty-deliveries.ts';
import { delaysThat, ratesThat, withOtherDelays } from '../../self-test/faulty-rates.ts';
import { deliveriesThat, storesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryRate } from './delivery-rate.ts';

type Start = DeliveryStore['start'];

/** Counts in fixed windows, as a counter does that is reset by the clock. */
const countsByTheClock = storesThat(({ webhooks, deliveries, clock }) => {
  const counts = new Map<number, number>();
  const start: Start = async (request) => {
    const record = await webhooks.find(request);
    const period = Math.floor(clock.nowMs() / 1200);
    const count = counts.get(period) ?? 0;
    if (count >= (limits.get(request.webhookId) ?? 0)) {
      return {
        outcome: 'deferred',
        delayMs: (period + 1) * 1200 - clock.nowMs(),
        reason: 'rate',
        next: null,
      };
    }
    const answer = await deliveries.start(request);
    if (record !== null && answer.outcome === 'started') counts.set(period, count + 1);
    return answer;
  };
  const limits = new Map<string, number>();
  return {
    deliveries: { ...deliveries, start },
    webhooks: {
      ...webhooks,
      create: (webhook, cap) => {
        limits.set(webhook.webhookId, webhook.rateLimit);
        return webhooks.create({ ...webhook, rateLimit: 10_000 }, cap);
      },
    },
  };
});

/** Lets any delivery start while there is room, as a limiter without an order does. */
const knowsNoOrder = storesThat(({ webhooks, deliveries }) => {
  let left = 3;
  return {
    webhooks: {
      ...webhooks,
      create: (webhook, limits) => webhooks.create({ ...webhook, rateLimit: 10_000 }, limits),
    },
    deliveries: {
      ...deliveries,
      start: async (request) => {
        left -= 1;
        if (left < 0) return { outcome: 'deferred', delayMs: 1000, reason: 'rate', next: null };
        return deliveries.start(request);
      },
    },
  };
});

const knowsNoRate = ratesThat(() => 10_000);
const knowsNoMargin = startsThat(() => ({ rateMarginMs: 0 }));
const isOneTooGenerous = ratesThat((rateLimit) => rateLimit + 1);
/** Keeps the limit of the creation, whatever it is changed to. */
const changesNoRate = ratesThat((rateLimit) => rateLimit);

/** Forgets earlier starts when the limit changes, and lets as many more start. */
const forgetsStartsAtChanges = storesThat(({ webhooks, deliveries }) => ({
  deliveries,
  webhooks: {
    ...webhooks,
    change: (ref, { rateLimit = 0, ...change }) =>
      webhooks.change(ref, { ...change, rateLimit: rateLimit + 27 }),
  },
}));

expectWebhookFaultsNoticed(deliveryRate, {
  'lets no more than rateLimit start at once, over all connections': {
    'knows no rate': knowsNoRate,
    'is one too generous': isOneTooGenerous,
  },
  'holds in every window, even if asked at random times and out of order': {
    'counts by the clock': countsByTheClock,
    'knows no margin': knowsNoMargin,
    'is one too generous': isOneTooGenerous,
  },
  'opens again when period and margin have passed, to the millisecond': {
    'counts by the clock': countsByTheClock,
    'knows no margin': knowsNoMargin,
    'is late by one': startsThat(({ rateMarginMs }) => ({ rateMarginMs: rateMarginMs + 1 })),
    'does not say when': delaysThat(() => 1000),
  },
  'is counted over a minute if the webhook says so': {
    'knows seconds only': storesThat(({ webhooks, deliveries }) => ({
      deliveries,
      webhooks: {
        ...webhooks,
        create: (webhook, limits) =>
          webhooks.create({ ...webhook, rateLimitPeriod: 'second' }, limits),
      },
    })),
    'knows no margin': knowsNoMargin,
  },
  'counts what started before it was changed, under any limit and period': {
    'knows no more of it than the limit before needed': forgetsStartsAtChanges,
    'knows no rate': knowsNoRate,
  },
  'applies to each webhook separately': {
    'counts all together': deliveriesThat(({ deliveries }) => {
      const scheduled = new Set<string>();
      return {
        publish: async (message) => {
          scheduled.add(message.messageId);
          const delay = scheduled.size > 1 ? 1200 : 0;
          return withOtherDelays(deliveries.publish, (delayMs) => delayMs + delay)(message);
        },
      };
    }),
  },
  'lets first tries start in the order of publishing': { 'knows no order': knowsNoOrder },
  'holds for retries too': {
    'counts first tries only': storesThat(({ webhooks, deliveries }) => {
      const tried = new Set<string>();
      return {
        webhooks,
        deliveries: {
          ...deliveries,
          start: async (request) => {
            if (tried.has(request.deliveryId)) {
              await webhooks.change(newWebhook('w1'), { rateLimit: 10_000 });
            }
            tried.add(request.deliveryId);
            return deliveries.start(request);
          },
        },
      };
    }),
  },
  'follows a lowered limit from then on': { 'changes no rate': changesNoRate },
  'follows a raised limit at once': { 'changes no rate': changesNoRate },
  'forgets no start of the window while the limit is lowered and raised again': {
    'restarts its count with each change': storesThat(({ webhooks, deliveries }) => {
      const counted = { starts: 0, limit: 0 };
      return {
        webhooks: {
          ...webhooks,
          create: (webhook, limits) => {
            counted.limit = webhook.rateLimit;
            return webhooks.create({ ...webhook, rateLimit: 10_000 }, limits);
          },
          change: async (ref, { rateLimit = 0 }) => {
            counted.starts = rateLimit < counted.limit ? rateLimit : 2;
            counted.limit = rateLimit;
            return webhooks.find(ref);
          },
        },
        deliveries: {
          ...deliveries,
          start: async (request) => {
            if (counted.starts >= counted.limit) {
              return { outcome: 'deferred', delayMs: 1200, reason: 'rate', next: null };
            }
            counted.starts += 1;
            return deliveries.start(request);
          },
        },
      };
    }),
    'changes no rate': changesNoRate,
  },
});
