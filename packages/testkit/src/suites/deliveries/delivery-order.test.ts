import { newWebhook } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  attemptsThat,
  claimedThat,
  endsThat,
  orderedBy,
  requestsThat,
} from '../../self-test/faulty-deliveries.ts';
import { deliveryOrder } from './delivery-order.ts';

const delaysBy = (ms: number) =>
  endsThat((end) =>
    end.outcome.kind === 'retry' && 'result' in end
      ? { ...end, outcome: { kind: 'retry', delayMs: end.outcome.delayMs + ms } }
      : end,
  );
const takesReturnsForRetries = endsThat((end) => {
  if (end.outcome.kind !== 'not_started') return end;
  const result = { status: null, durationMs: 0, error: null };
  return {
    ...end,
    outcome: { kind: 'retry', delayMs: 0 },
    result,
    backoffMs: 0,
    url: newWebhook('w').url,
  };
});
const handsReturnsOutLast = orderedBy(
  (a, b, returned) =>
    Number(returned.has(a.deliveryId)) - Number(returned.has(b.deliveryId)) ||
    a.sequence - b.sequence,
);
const countsTriesAnew = attemptsThat(() => ({ attempt: 1 }));
const asksInVain = claimedThat(({ nextInMs }) => ({ nextInMs: nextInMs && 1 }));

expectWebhookFaultsNoticed(deliveryOrder, {
  'claims first tries in the order of publishing': {
    'begins with the newest': claimedThat(({ attempts }) => ({ attempts: attempts.toReversed() })),
    'orders them by id': orderedBy((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1)),
  },
  'claims no more attempts than asked for': {
    'hands out one more': requestsThat(({ limit }) => ({ limit: limit + 1 })),
    'hands out as many as a webhook may have': requestsThat(() => ({ limit: 16 })),
    'hands out as many of each webhook': requestsThat(({ limit }) => ({ limit: limit * 2 })),
  },
  'makes a retry due when its delay is over, to the millisecond': {
    'is late by one': delaysBy(1),
    'is early by one': delaysBy(-1),
    'counts tries anew': countsTriesAnew,
    'counts no failures': attemptsThat(() => ({ failures: 0 })),
    'has workers ask in vain': asksInVain,
    'has workers ask at the next publishing': claimedThat(({ nextInMs }) => ({
      nextInMs: nextInMs && null,
    })),
  },
  'claims retries in the order of their due times': {
    'orders them by publishing': orderedBy((a, b) => a.sequence - b.sequence),
  },
  'alternates between retries and first tries while both wait': {
    'lets retries go first': orderedBy((a, b) => b.attempt - a.attempt || a.sequence - b.sequence),
    'lets first tries go first': orderedBy(
      (a, b) => a.attempt - b.attempt || a.sequence - b.sequence,
    ),
  },
  'claims a returned attempt first, unchanged': {
    'takes it for a retry': takesReturnsForRetries,
    'hands it out last': handsReturnsOutLast,
    'hands it out in the order of ends': orderedBy((a, b) => b.sequence - a.sequence),
    'counts a failure': attemptsThat(() => ({ failures: 1 })),
  },
  'claims a returned retry first, with its number': {
    'takes it for another retry': takesReturnsForRetries,
    'hands it out last': handsReturnsOutLast,
    'counts tries anew': countsTriesAnew,
  },
  'serves webhooks round-robin: a burst to one delays no other': {
    'empties one after the other': orderedBy(
      (a, b) => Number(a.webhookId > b.webhookId) - Number(a.webhookId < b.webhookId),
    ),
  },
  'serves webhooks round-robin: the longest waiting comes first': {
    'goes by their names': orderedBy((a, b) => (a.webhookId < b.webhookId ? -1 : 1)),
    'goes by time of publishing': orderedBy((a, b) => a.createdAtMs - b.createdAtMs),
    'begins with the newest': orderedBy((a, b) => b.createdAtMs - a.createdAtMs),
  },
  'says when to claim again': {
    'is late by one': claimedThat(({ nextInMs }) => ({ nextInMs: nextInMs && nextInMs + 1 })),
    'is early by one': claimedThat(({ nextInMs }) => ({ nextInMs: nextInMs && nextInMs - 1 })),
    'has workers ask in vain': asksInVain,
    'has workers ask where nothing waits': claimedThat(({ nextInMs }) => ({
      nextInMs: nextInMs ?? 1_000,
    })),
  },
});
