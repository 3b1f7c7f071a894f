import type { AttemptEnd, CompletedAttempt, DeliveryStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  faultyClaims,
  faultyCompletionResults,
  faultyEnds,
  NOTHING_CLAIMED,
} from '../../self-test/faulty-deliveries.ts';
import {
  capacityBy,
  capsOfEachProcess,
  faultyCaps,
  ignoresCaps,
} from '../../self-test/faulty-delivery-caps.ts';
import { faultyDeliveries, faultyWebhooks } from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { deliveryCaps } from './delivery-caps.ts';

const allowsOneTooMany = faultyCaps(() => ({ extraPermits: () => 1 }));
const returnsNoNextInMs = faultyClaims(({ attempts, nextInMs }) => ({
  nextInMs: attempts.length > 0 ? nextInMs : null,
}));
const removesNothing = faultyWebhooks(() => ({ remove: async () => true }));

type EndsOfCall = Parameters<DeliveryStore['complete']>[0];
type Results = readonly CompletedAttempt[];

/** Never frees some of the permits that a call of `complete` should free. */
const loseCapacity = (countLost: (ends: EndsOfCall, results: Results) => number) =>
  faultyCaps(({ deliveries }) => {
    let lostPermits = 0;
    return {
      extraPermits: () => -lostPermits,
      deliveries: {
        complete: async (ends, limits) => {
          const results = await deliveries.complete(ends, limits);
          lostPermits += countLost(ends, results);
          return results;
        },
      },
    };
  });
const freeNothing = (isLost: (end: AttemptEnd) => boolean) =>
  loseCapacity((ends) => ends.filter(isLost).length);
const freesNothingOnDelivery = freeNothing(({ outcome }) => outcome.kind === 'delivered');
const losesPermitOfDisabled = loseCapacity(
  (_ends, results) => results.filter((each) => 'disabled' in each && each.disabled).length,
);
const disablesNothing = faultyEnds((end) =>
  'result' in end ? { ...end, outcome: { kind: 'failed', reason: 'exhausted' } } : end,
);

/** Never frees `count` of the permits that a removal should free. */
const loseByRemoval = (count: number) =>
  faultyCaps(({ webhooks }) => {
    let lostPermits = 0;
    return {
      extraPermits: () => -lostPermits,
      webhooks: {
        remove: (ref) => {
          lostPermits += count;
          return webhooks.remove(ref);
        },
      },
    };
  });

/** Frees only one permit between two claims, however many attempts end. */
const freesOneBetweenClaims = faultyCaps(({ deliveries }) => {
  let lostPermits = 0;
  let endedSinceClaim = 0;
  return {
    extraPermits: () => -lostPermits,
    deliveries: {
      claim: (request) => {
        endedSinceClaim = 0;
        return deliveries.claim(request);
      },
      complete: (ends, limits) => {
        const lostBefore = Math.max(0, endedSinceClaim - 1);
        endedSinceClaim += ends.length;
        lostPermits += Math.max(0, endedSinceClaim - 1) - lostBefore;
        return deliveries.complete(ends, limits);
      },
    },
  };
});

expectWebhookFaultsNoticed(deliveryCaps, {
  'limits attempts in flight per webhook until an attempt ends': {
    'ignores the limit of attempts in flight': ignoresCaps,
    'allows one attempt too many': allowsOneTooMany,
    'limits attempts per process only': capsOfEachProcess,
    'reads and writes non-atomically': nonAtomic,
    'frees no permit on delivery': freesNothingOnDelivery,
    'frees no permit when an attempt is returned': freeNothing(
      ({ outcome }) => outcome.kind === 'not_started',
    ),
  },
  'delivers all messages one at a time while claims and completions interleave': {
    'claims nothing more after one empty claim': faultyDeliveries((deliveries) => {
      let isForgotten = false;
      return {
        claim: async (request) => {
          if (isForgotten) return { attempts: [], poisoned: [], nextInMs: null };
          const claim = await deliveries.claim(request);
          isForgotten = claim.attempts.length === 0;
          return claim;
        },
      };
    }),
  },
  'limits attempts in flight per account, without delaying other accounts': {
    'ignores the limit of attempts in flight': ignoresCaps,
    'allows one attempt too many': allowsOneTooMany,
    'counts all accounts together': faultyDeliveries((deliveries) => {
      let inFlight = 0;
      return {
        claim: async (request) => {
          const limit = Math.min(request.limit, request.maxInFlightPerAccount - inFlight);
          if (limit <= 0) return NOTHING_CLAIMED;
          const claim = await deliveries.claim({ ...request, limit });
          inFlight += claim.attempts.length;
          return claim;
        },
      };
    }),
  },
  'counts attempts in flight of an account over all connections': {
    'limits attempts per process only': capsOfEachProcess,
    'reads and writes non-atomically': nonAtomic,
    'allows one attempt too many': allowsOneTooMany,
  },
  'frees the permits of the account when a webhook is removed': {
    'counts attempts of a removed webhook as in flight': loseByRemoval(3),
    'completes attempts of a removed webhook': faultyCompletionResults(() => ({
      outcome: 'completed',
      disabled: null,
    })),
    'does not remove the webhook': removesNothing,
  },
  'starves no webhook of an account that is at its limit': {
    'claims in the order of webhook ids': capacityBy((a, b) =>
      a.webhookId < b.webhookId ? -1 : 1,
    ),
    'empties the queue of one webhook before the next': capacityBy(() => 0),
    'ignores the limit of attempts in flight': ignoresCaps,
    'frees no permit on delivery': freesNothingOnDelivery,
  },
  'skips removed and disabled webhooks when permits of the account become free': {
    'loses the permit of a removed webhook': loseByRemoval(1),
    'loses the permit of a disabled webhook': losesPermitOfDisabled,
    'gives the permit to a removed webhook': removesNothing,
    'gives the permit to a webhook that should be disabled': disablesNothing,
    'allows one attempt too many': allowsOneTooMany,
    'returns no nextInMs while the account is at its limit': returnsNoNextInMs,
  },
  'gives a freed permit to the next webhook if the first is removed': {
    'loses the permit of a removed webhook': loseByRemoval(1),
    'does not remove the webhook': removesNothing,
    'returns no nextInMs while the account is at its limit': returnsNoNextInMs,
  },
  'gives a freed permit to the next webhook if the first is disabled': {
    'loses the permit of a disabled webhook': losesPermitOfDisabled,
    'gives the permit to a webhook that should be disabled': disablesNothing,
    'returns no nextInMs while the account is at its limit': returnsNoNextInMs,
  },
  'skips webhooks in backoff when permits of the account become free': {
    'loses the permit of a webhook in backoff': freeNothing(
      (end) => 'result' in end && end.backoffMs > 0,
    ),
    'gives the permit to a webhook in backoff': faultyEnds((end) =>
      'result' in end ? { ...end, backoffMs: 0 } : end,
    ),
    'frees no permit on delivery': freesNothingOnDelivery,
    'claims in the descending order of webhook ids': capacityBy((a, b) =>
      a.webhookId < b.webhookId ? 1 : -1,
    ),
    'returns no nextInMs while the account is at its limit': returnsNoNextInMs,
  },
  'reuses all freed permits, whether attempts complete one by one or in one call': {
    'ignores the limit of attempts in flight': ignoresCaps,
    'frees no permit on delivery': freesNothingOnDelivery,
    'frees at most one permit between two claims': freesOneBetweenClaims,
    'frees one permit per call of complete()': loseCapacity(({ length }) => length - 1),
  },
});
