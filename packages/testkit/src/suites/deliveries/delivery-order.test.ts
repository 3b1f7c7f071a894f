import { newWebhook } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  faultyAttempts,
  faultyClaims,
  faultyEnds,
  orderedBy,
} from '../../self-test/faulty-deliveries.ts';
import { faultyRequests } from '../../self-test/faulty-storage.ts';
import { deliveryOrder } from './delivery-order.ts';

const faultyDelays = (ms: number) =>
  faultyEnds((end) =>
    end.outcome.kind === 'retry' && 'result' in end
      ? { ...end, outcome: { kind: 'retry', delayMs: end.outcome.delayMs + ms } }
      : end,
  );
const turnsReturnsIntoRetries = faultyEnds((end) => {
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
const claimsReturnsLast = orderedBy(
  (a, b, returned) =>
    Number(returned.has(a.deliveryId)) - Number(returned.has(b.deliveryId)) ||
    a.sequence - b.sequence,
);
const resetsAttemptNumber = faultyAttempts(() => ({ attempt: 1 }));
const returnsNextInMsTooEarly = faultyClaims(({ nextInMs }) => ({ nextInMs: nextInMs && 1 }));

expectWebhookFaultsNoticed(deliveryOrder, {
  'claims first attempts in the order of publishing': {
    'claims the newest first': faultyClaims(({ attempts }) => ({
      attempts: attempts.toReversed(),
    })),
    'claims in the order of delivery ids': orderedBy((a, b) =>
      a.deliveryId < b.deliveryId ? -1 : 1,
    ),
  },
  'claims no more attempts than the limit of the request': {
    'claims one attempt too many': faultyRequests('deliveries', 'claim', ({ limit }) => ({
      limit: limit + 1,
    })),
    'claims up to 16 attempts at any limit': faultyRequests('deliveries', 'claim', () => ({
      limit: 16,
    })),
    'applies the limit per webhook': faultyRequests('deliveries', 'claim', ({ limit }) => ({
      limit: limit * 2,
    })),
  },
  'claims a retry in the millisecond that its delay ends, which nextInMs announces': {
    'makes a retry due 1 ms late': faultyDelays(1),
    'makes a retry due 1 ms early': faultyDelays(-1),
    'returns a nextInMs at which nothing is due': returnsNextInMsTooEarly,
    'returns no nextInMs for a retry': faultyClaims(({ nextInMs }) => ({
      nextInMs: nextInMs && null,
    })),
  },
  'claims the retry of a failed attempt as attempt 2, with one failure': {
    'resets the attempt number to 1': resetsAttemptNumber,
    'counts no failures': faultyAttempts(() => ({ failures: 0 })),
  },
  'claims retries in the order of their due times': {
    'claims retries in the order of publishing': orderedBy((a, b) => a.sequence - b.sequence),
  },
  'alternates between retries and first attempts while both are due': {
    'claims all retries first': orderedBy(
      (a, b) => b.attempt - a.attempt || a.sequence - b.sequence,
    ),
    'claims all retries last': orderedBy(
      (a, b) => a.attempt - b.attempt || a.sequence - b.sequence,
    ),
  },
  'claims deliveries returned as not_started first, and counts no attempt': {
    'turns a returned attempt into a retry': turnsReturnsIntoRetries,
    'claims returned attempts last': claimsReturnsLast,
    'claims returned attempts in reverse order': orderedBy((a, b) => b.sequence - a.sequence),
    'counts a returned attempt as a failure': faultyAttempts(() => ({ failures: 1 })),
  },
  'claims a retry returned as not_started first, with the same attempt number': {
    'turns a returned attempt into a retry': turnsReturnsIntoRetries,
    'claims returned attempts last': claimsReturnsLast,
    'resets the attempt number to 1': resetsAttemptNumber,
  },
  'does not let a burst to one webhook delay another webhook': {
    'empties the queue of one webhook before the next': orderedBy(
      (a, b) => Number(a.webhookId > b.webhookId) - Number(a.webhookId < b.webhookId),
    ),
  },
  'serves each waiting webhook once per round': {
    'serves webhooks in the order of their ids': orderedBy((a, b) =>
      a.webhookId < b.webhookId ? -1 : 1,
    ),
    'serves webhooks in the order of publishing': orderedBy(
      (a, b) => a.createdAtMs - b.createdAtMs,
    ),
    'claims the newest first': orderedBy((a, b) => b.createdAtMs - a.createdAtMs),
  },
  'returns as nextInMs the wait for the rate or the end of a lease, and null if the queue is empty':
    {
      'returns a nextInMs 1 ms too late': faultyClaims(({ nextInMs }) => ({
        nextInMs: nextInMs && nextInMs + 1,
      })),
      'returns a nextInMs 1 ms too early': faultyClaims(({ nextInMs }) => ({
        nextInMs: nextInMs && nextInMs - 1,
      })),
      'returns a nextInMs at which nothing is due': returnsNextInMsTooEarly,
      'returns a nextInMs for an empty queue': faultyClaims(({ nextInMs }) => ({
        nextInMs: nextInMs ?? 1_000,
      })),
    },
});
