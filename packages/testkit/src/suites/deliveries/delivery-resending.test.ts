import type { DeliveryStore, ListedDelivery } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { attemptsThat, listedThat } from '../../self-test/faulty-deliveries.ts';
import {
  deliveriesThat,
  readThenWriteWebhooks,
  storesThat,
} from '../../self-test/faulty-webhooks.ts';
import { deliveryResending } from './delivery-resending.ts';

type Redeliver = DeliveryStore['redeliver'];
type RedeliverFailed = DeliveryStore['redeliverFailed'];

const redelivers = (change: (redeliver: Redeliver, deliveries: DeliveryStore) => Redeliver) =>
  deliveriesThat(({ deliveries }) => ({ redeliver: change(deliveries.redeliver, deliveries) }));
const redeliversFailed = (change: (redeliver: RedeliverFailed) => RedeliverFailed) =>
  deliveriesThat(({ deliveries }) => ({ redeliverFailed: change(deliveries.redeliverFailed) }));

/** Sends failed deliveries again that were picked from the list, which has the newest first. */
const sendsAgain = (pick: (listed: readonly ListedDelivery[]) => readonly ListedDelivery[]) =>
  deliveriesThat(({ deliveries }) => ({
    redeliverFailed: async (ref, { sinceMs, limit }) => {
      const listed = await deliveries.list(ref, { limit: 100, after: null });
      if (listed === null) return null;
      const picked = pick(listed.filter(({ createdAtMs }) => createdAtMs >= sinceMs));
      for (const delivery of picked.slice(0, limit)) await deliveries.redeliver(delivery);
      return { count: Math.min(limit, picked.length), more: picked.length > limit };
    },
  }));
const answersDue = redelivers((redeliver) => async (ref) => {
  const answer = await redeliver(ref);
  return answer.outcome === 'under_way' ? { outcome: 'due' } : answer;
});
const rejects = (outcome: 'under_way' | 'unknown', state: string) =>
  redelivers((redeliver, deliveries) => async (ref) => {
    const listed = await deliveries.list(ref, { limit: 100, after: null });
    const delivery = listed?.find(({ deliveryId }) => deliveryId === ref.deliveryId);
    return delivery?.state === state ? { outcome } : redeliver(ref);
  });

expectWebhookFaultsNoticed(deliveryResending, {
  'resends a delivery that has ended or waits, with new tries and its log': {
    'sends none that was delivered': rejects('unknown', 'delivered'),
    'sends none that waits': rejects('under_way', 'waiting'),
    'sends it twice': answersDue,
    'keeps its failures': attemptsThat(({ attempt }) => ({ failures: attempt - 1 })),
    'keeps what was not counted': attemptsThat(({ deliveryId, attempt }) => ({
      notCounted: deliveryId === 'm-not_counted' ? attempt - 1 : 0,
    })),
    'counts attempts anew': attemptsThat(() => ({ attempt: 1 })),
    'forgets its log': listedThat(({ attempts }) => ({ attempts: attempts.slice(1) })),
    'keeps why it was dead': listedThat(() => ({ deadReason: 'exhausted' })),
    'shows it as queued': listedThat(() => ({ state: 'queued' })),
    'does not say when': listedThat(() => ({ nextAttemptAtMs: null })),
    'writes another body': attemptsThat(({ attempt, body }) => ({
      body: attempt === 1 ? body : '{}',
    })),
    'dates it anew': attemptsThat(({ claimedAtMs }) => ({ createdAtMs: claimedAtMs })),
  },
  'resends a poison message with a new count of leases': {
    'counts those that were lost before': deliveriesThat(({ deliveries }) => {
      let lost = 0;
      return {
        claim: (request) =>
          deliveries.claim({ ...request, maxStalledAttempts: request.maxStalledAttempts - lost }),
        redeliver: (ref) => {
          lost = 1;
          return deliveries.redeliver(ref);
        },
      };
    }),
    'sends none that is dead': rejects('under_way', 'dead'),
  },
  'resends a delivery once, however many ask': {
    'reads, then writes': readThenWriteWebhooks,
    'sends it each time': answersDue,
  },
  'does not resend a delivery without a try, in flight, or of another account': {
    'answers due': answersDue,
    'knows those of all accounts': redelivers(
      (redeliver) => (ref) => redeliver({ ...ref, accountId: 7 }),
    ),
    'knows those of all webhooks': redelivers(
      (redeliver) => (ref) => redeliver({ ...ref, webhookId: 'w1' }),
    ),
    'takes unknown for under way': redelivers(() => async () => ({ outcome: 'under_way' })),
  },
  'resends deliveries of a disabled webhook once it is enabled': {
    'rejects that': rejects('unknown', 'dead'),
    'enables it': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        redeliver: async (ref) => {
          await webhooks.enable(ref);
          return deliveries.redeliver(ref);
        },
      },
    })),
    'shows it as queued': listedThat(() => ({ state: 'queued' })),
  },
  'resends failed deliveries published since a time, the oldest first': {
    'leaves the first moment out': redeliversFailed(
      (redeliver) => (ref, request) => redeliver(ref, { ...request, sinceMs: request.sinceMs + 1 }),
    ),
    'sends older ones too': redeliversFailed(
      (redeliver) => (ref, request) =>
        redeliver(ref, { ...request, sinceMs: request.sinceMs - 10 }),
    ),
    'goes by when they were given up': redeliversFailed(
      (redeliver) => (ref, request) => redeliver(ref, { ...request, sinceMs: 0 }),
    ),
    'knows no limit': redeliversFailed(
      (redeliver) => (ref, request) => redeliver(ref, { ...request, limit: 100 }),
    ),
    'takes a full batch for one of many': redeliversFailed((redeliver) => async (ref, request) => {
      const answer = await redeliver(ref, request);
      return answer && { ...answer, more: answer.count === request.limit };
    }),
    'begins with the newest': sendsAgain((listed) =>
      listed.filter(({ state }) => state === 'dead'),
    ),
    'sends what was delivered too': sendsAgain((listed) =>
      listed.filter(({ state }) => state === 'dead' || state === 'delivered').toReversed(),
    ),
    'takes an unknown webhook for one without any': redeliversFailed(
      (redeliver) => async (ref, request) =>
        (await redeliver(ref, request)) ?? { count: 0, more: false },
    ),
  },
  'resends failed deliveries whatever their reason': Object.fromEntries(
    (['exhausted', 'gone', 'expired', 'poison'] as const).map((reason) => [
      `leaves those alone that are ${reason}`,
      sendsAgain((listed) =>
        listed.filter(({ state, deadReason }) => state === 'dead' && deadReason !== reason),
      ),
    ]),
  ),
});
