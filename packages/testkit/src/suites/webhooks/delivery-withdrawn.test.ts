import type { DeliveryStore, StartOutcome } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { ratesThat } from '../../self-test/faulty-rates.ts';
import { deliveriesThat, storesThat } from '../../self-test/faulty-webhooks.ts';
import { endsWithdrawn, withdrawsNone } from '../../self-test/faulty-withdrawals.ts';
import { deliveryWithdrawn } from './delivery-withdrawn.ts';

type Start = DeliveryStore['start'];
type Started = Extract<StartOutcome, { outcome: 'started' }>;

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

/** Withdraws whichever attempt of the delivery is in flight. */
const withdrawsAny = deliveriesThat(({ deliveries }) => {
  const inFlight = new Map<string, Started>();
  const start: Start = async (request) => {
    const answer = await deliveries.start(request);
    if (answer.outcome === 'started') inFlight.set(request.deliveryId, answer);
    if (!('reason' in answer && answer.reason === 'sending') || request.withdrawnStartAtMs === null)
      return answer;
    const withdrawnStartAtMs = inFlight.get(request.deliveryId)?.startedAtMs ?? null;
    return deliveries.start({ ...request, withdrawnStartAtMs });
  };
  return { start };
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

expectWebhookFaultsNoticed(deliveryWithdrawn, {
  'are as if they had never started': { 'knows none': withdrawsNone, 'ends them': endsWithdrawn },
  'do not count towards the rate': {
    'knows none': withdrawsNone,
    'ends them': endsWithdrawn,
    'counts them': countsThem,
  },
  'remove no other start of the same millisecond': {
    'knows none': withdrawsNone,
    'is one too generous': ratesThat((rateLimit) => rateLimit + 1),
  },
  'take no room, not even their own': {
    'knows none': withdrawsNone,
    'keeps their room': keepsTheirRoom,
  },
  'are not lost, even if their lease is over': { 'knows none': withdrawsNone },
  'are held if the webhook was disabled meanwhile': {
    'knows none': withdrawsNone,
    'sends nevertheless': sendsNevertheless,
  },
  'cannot be ended': { 'knows none': withdrawsNone },
  'are left alone once they were lost, and another has begun': {
    'withdraws any': withdrawsAny,
  },
});
