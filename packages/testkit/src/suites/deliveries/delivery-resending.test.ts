import type { DeliveryStore, ListedDelivery } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyAttempts, faultyListEntries } from '../../self-test/faulty-deliveries.ts';
import { faultyDeliveries } from '../../self-test/faulty-storage.ts';
import { deliveryResending } from './delivery-resending.ts';

type Redeliver = DeliveryStore['redeliver'];
type RedeliverFailed = DeliveryStore['redeliverFailed'];

const faultyRedeliver = (change: (redeliver: Redeliver, deliveries: DeliveryStore) => Redeliver) =>
  faultyDeliveries((deliveries) => ({ redeliver: change(deliveries.redeliver, deliveries) }));
const faultyRedeliverFailed = (change: (redeliver: RedeliverFailed) => RedeliverFailed) =>
  faultyDeliveries((deliveries) => ({ redeliverFailed: change(deliveries.redeliverFailed) }));

/** Resends the deliveries that `pick` chooses from the list. The first delivery of the list is the newest. */
const resendOnly = (pick: (listed: readonly ListedDelivery[]) => readonly ListedDelivery[]) =>
  faultyDeliveries((deliveries) => ({
    redeliverFailed: async (ref, { sinceMs, limit }) => {
      const listed = await deliveries.list(ref, { limit: 100, after: null });
      if (listed === null) return null;
      const picked = pick(listed.filter(({ createdAtMs }) => createdAtMs >= sinceMs));
      for (const delivery of picked.slice(0, limit)) await deliveries.redeliver(delivery);
      return { count: Math.min(limit, picked.length), more: picked.length > limit };
    },
  }));
const alwaysReturnsDue = faultyRedeliver((redeliver) => async (ref) => {
  const result = await redeliver(ref);
  return result.outcome === 'under_way' ? { outcome: 'due' } : result;
});
const faultyOutcome = (outcome: 'under_way' | 'unknown', state: string) =>
  faultyRedeliver((redeliver, deliveries) => async (ref) => {
    const listed = await deliveries.list(ref, { limit: 100, after: null });
    const delivery = listed?.find(({ deliveryId }) => deliveryId === ref.deliveryId);
    return delivery?.state === state ? { outcome } : redeliver(ref);
  });

expectWebhookFaultsNoticed(deliveryResending, {
  'resends an ended or waiting delivery with its log, but without its failures': {
    'returns unknown for a delivered message': faultyOutcome('unknown', 'delivered'),
    'returns under_way for a waiting delivery': faultyOutcome('under_way', 'waiting'),
    'returns due to a second request': alwaysReturnsDue,
    'keeps the count of failures': faultyAttempts(({ attempt }) => ({ failures: attempt - 1 })),
    'keeps the count of uncounted attempts': faultyAttempts(({ deliveryId, attempt }) => ({
      notCounted: deliveryId === 'm-not_counted' ? attempt - 1 : 0,
    })),
    'resets the attempt number to 1': faultyAttempts(() => ({ attempt: 1 })),
    'drops the first attempt from the log': faultyListEntries(({ attempts }) => ({
      attempts: attempts.slice(1),
    })),
    'keeps the deadReason': faultyListEntries(() => ({ deadReason: 'exhausted' })),
    'lists the delivery as queued': faultyListEntries(() => ({ state: 'queued' })),
    'lists no nextAttemptAtMs': faultyListEntries(() => ({ nextAttemptAtMs: null })),
    'sends another body': faultyAttempts(({ attempt, body }) => ({
      body: attempt === 1 ? body : '{}',
    })),
    'resets createdAtMs': faultyAttempts(({ claimedAtMs }) => ({ createdAtMs: claimedAtMs })),
  },
  'resends a poison message with its count of expired leases reset': {
    'keeps the count of expired leases': faultyDeliveries((deliveries) => {
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
    'returns under_way for a failed delivery': faultyOutcome('under_way', 'dead'),
  },
  'resends no delivery that is unattempted, in flight or of another account': {
    'returns due for pending deliveries': alwaysReturnsDue,
    'finds deliveries of other accounts': faultyRedeliver(
      (redeliver) => (ref) => redeliver({ ...ref, accountId: 7 }),
    ),
    'finds deliveries of other webhooks': faultyRedeliver(
      (redeliver) => (ref) => redeliver({ ...ref, webhookId: 'w1' }),
    ),
    'returns under_way for an unknown delivery': faultyRedeliver(() => async () => ({
      outcome: 'under_way',
    })),
  },
  'resends deliveries of a disabled webhook once it is enabled': {
    'returns unknown for a failed delivery': faultyOutcome('unknown', 'dead'),
    'enables the webhook': faultyDeliveries((deliveries, { webhooks }) => ({
      redeliver: async (ref) => {
        await webhooks.enable(ref);
        return deliveries.redeliver(ref);
      },
    })),
    'lists the delivery as queued': faultyListEntries(() => ({ state: 'queued' })),
  },
  'resends failed deliveries published since a time, the oldest first': {
    'excludes deliveries published exactly at that time': faultyRedeliverFailed(
      (redeliver) => (ref, request) => redeliver(ref, { ...request, sinceMs: request.sinceMs + 1 }),
    ),
    'resends older deliveries too': faultyRedeliverFailed(
      (redeliver) => (ref, request) =>
        redeliver(ref, { ...request, sinceMs: request.sinceMs - 10 }),
    ),
    'filters by the time of failure instead of that of publishing': faultyRedeliverFailed(
      (redeliver) => (ref, request) => redeliver(ref, { ...request, sinceMs: 0 }),
    ),
    'ignores the limit': faultyRedeliverFailed(
      (redeliver) => (ref, request) => redeliver(ref, { ...request, limit: 100 }),
    ),
    'returns more: true with the last batch if it is full': faultyRedeliverFailed(
      (redeliver) => async (ref, request) => {
        const result = await redeliver(ref, request);
        return result && { ...result, more: result.count === request.limit };
      },
    ),
    'resends the newest first': resendOnly((listed) =>
      listed.filter(({ state }) => state === 'dead'),
    ),
    'resends delivered messages too': resendOnly((listed) =>
      listed.filter(({ state }) => state === 'dead' || state === 'delivered').toReversed(),
    ),
  },
  'returns null from redeliverFailed() for an unknown webhook': {
    'returns a count of 0 for an unknown webhook': faultyRedeliverFailed(
      (redeliver) => async (ref, request) =>
        (await redeliver(ref, request)) ?? { count: 0, more: false },
    ),
  },
  'resends failed deliveries of every reason': Object.fromEntries(
    (['exhausted', 'gone', 'expired', 'poison'] as const).map((reason) => [
      `does not resend deliveries with the reason ${reason}`,
      resendOnly((listed) =>
        listed.filter(({ state, deadReason }) => state === 'dead' && deadReason !== reason),
      ),
    ]),
  ),
});
