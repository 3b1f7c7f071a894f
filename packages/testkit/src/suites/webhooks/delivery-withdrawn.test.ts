import type { DeliveryStore, StartOutcome } from '@latchhook/core/storage';
import { noticeBrokenWebhooks } from '../../self-test/notice-broken-webhooks.ts';
import { delaysThat, ratesThat } from '../../self-test/rates-that.ts';
import { deliveriesThat, storesThat } from '../../self-test/webhooks-that.ts';
import { finishing } from '../../webhook-samples.ts';
import { deliveryWithdrawn } from './delivery-withdrawn.ts';

type Start = DeliveryStore['start'];
type Started = Extract<StartOutcome, { outcome: 'started' }>;

/** Ignores that the attempt is withdrawn. */
const knowsNone = deliveriesThat(({ deliveries }) => ({
  start: (request) => deliveries.start({ ...request, withdrawnStartAtMs: null }),
}));

/** Ends the withdrawn attempt as an excused one, and begins another. */
const endsThem = deliveriesThat(({ deliveries }) => ({
  start: async ({ withdrawnStartAtMs, ...request }) => {
    if (withdrawnStartAtMs !== null) {
      const excused = { kind: 'excused', delayMs: 0 } as const;
      const attempts = (await deliveries.find(request))?.attempts.length ?? 0;
      await deliveries.finish(finishing(request, attempts + 1, excused));
    }
    return deliveries.start({ ...request, withdrawnStartAtMs: null });
  },
}));

/** Counts the withdrawn start, and so lets one less start from then on. */
const countsThem = storesThat(({ webhooks, deliveries }) => ({
  webhooks,
  deliveries: {
    ...deliveries,
    start: async (request) => {
      const answer = await deliveries.start(request);
      if (request.withdrawnStartAtMs !== null && answer.outcome === 'started') {
        const { rateLimit } = (await webhooks.find(request)) ?? { rateLimit: 0 };
        await webhooks.change(request, { rateLimit: rateLimit - 1 });
      }
      return answer;
    },
  },
}));

/** Withdraws whichever attempt of the delivery is under way. */
const withdrawsAny = deliveriesThat(({ deliveries }) => {
  const underWay = new Map<string, Started>();
  const start: Start = async (request) => {
    const answer = await deliveries.start(request);
    if (answer.outcome === 'started') underWay.set(request.deliveryId, answer);
    if (!('by' in answer && answer.by === 'sending') || request.withdrawnStartAtMs === null)
      return answer;
    const withdrawnStartAtMs = underWay.get(request.deliveryId)?.startedAtMs ?? null;
    return deliveries.start({ ...request, withdrawnStartAtMs });
  };
  return { start };
});

/** Makes them wait behind all others. */
const forgetsTheirPlace = deliveriesThat(({ deliveries }) => {
  const last = new Set<string>();
  return {
    start: async (request) => {
      if (request.withdrawnStartAtMs !== null) last.add(request.deliveryId);
      const isLast = request.withdrawnStartAtMs === null && last.has(request.deliveryId);
      if (isLast) return { outcome: 'deferred', delayMs: 1200, by: 'rate', next: null };
      return deliveries.start(request);
    },
  };
});

const keepsTheirRoom = deliveriesThat(({ deliveries }) => ({
  start: (request) => {
    const room =
      request.withdrawnStartAtMs === null ? request.maxInFlight : request.maxInFlight - 1;
    return deliveries.start({ ...request, maxInFlight: room });
  },
}));

/** Sends even if the webhook has been disabled. */
const sendsNevertheless = storesThat(({ webhooks, deliveries }) => ({
  webhooks,
  deliveries: {
    ...deliveries,
    start: async (request) => {
      if (request.withdrawnStartAtMs !== null) await webhooks.enable(request);
      return deliveries.start(request);
    },
  },
}));

noticeBrokenWebhooks(deliveryWithdrawn, {
  'are as if they had never started': { 'knows none': knowsNone, 'ends them': endsThem },
  'do not count towards the rate': {
    'knows none': knowsNone,
    'ends them': endsThem,
    'counts them': countsThem,
  },
  'remove no other start of the same millisecond': {
    'knows none': knowsNone,
    'is one too generous': ratesThat((rateLimit) => rateLimit + 1),
  },
  'are made later if the rate has no room, at their place in the order of publishing': {
    'knows none': knowsNone,
    'ends them': endsThem,
    'forgets their place': forgetsTheirPlace,
  },
  'wait as retries if they were retries': { 'knows none': knowsNone, 'ends them': endsThem },
  'come after the retries that already wait': {
    'knows none': knowsNone,
    'has them ask before': delaysThat((delayMs) => Math.min(delayMs, 1_200)),
  },
  'wait as retries if the delivery was sent again, even if it was never tried': {
    'knows none': knowsNone,
  },
  'take no room, not even their own': {
    'knows none': knowsNone,
    'keeps their room': keepsTheirRoom,
  },
  'go before all that wait, since their turn had come': {
    'knows none': knowsNone,
    'ends them': endsThem,
  },
  'are not lost, even if their lease is over': { 'knows none': knowsNone },
  'are held if the webhook was disabled meanwhile': {
    'knows none': knowsNone,
    'sends nevertheless': sendsNevertheless,
  },
  'cannot be ended': { 'knows none': knowsNone },
  'are left alone once they were lost, and another has begun': {
    'withdraws any': withdrawsAny,
  },
});
