import type { AttemptEnd, CompletedAttempt, DeliveryStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  claimedThat,
  completedThat,
  endsThat,
  NOTHING_CLAIMED,
} from '../../self-test/faulty-deliveries.ts';
import {
  capacityBy,
  capsOfEachProcess,
  capsThat,
  knowsNoCap,
} from '../../self-test/faulty-delivery-caps.ts';
import {
  deliveriesThat,
  readThenWriteWebhooks,
  webhooksThat,
} from '../../self-test/faulty-webhooks.ts';
import { deliveryCaps } from './delivery-caps.ts';

const isOneTooGenerous = capsThat(() => ({ more: () => 1 }));
const saysNotWhenToAsk = claimedThat(({ attempts, nextInMs }) => ({
  nextInMs: attempts.length > 0 ? nextInMs : null,
}));
const keepsWhatIsRemoved = webhooksThat(() => ({ remove: async () => true }));

type EndsOfCall = Parameters<DeliveryStore['complete']>[0];
type Answers = readonly CompletedAttempt[];

/** Loses as much room for good with each call that ends attempts. */
const losesCapacityBy = (lostBy: (ends: EndsOfCall, answers: Answers) => number) =>
  capsThat(({ webhooks, deliveries }) => {
    let lost = 0;
    return {
      more: () => -lost,
      stores: {
        webhooks,
        deliveries: {
          ...deliveries,
          complete: async (ends, limits) => {
            const answers = await deliveries.complete(ends, limits);
            lost += lostBy(ends, answers);
            return answers;
          },
        },
      },
    };
  });
const freesNothingBy = (isLost: (end: AttemptEnd) => boolean) =>
  losesCapacityBy((ends) => ends.filter(isLost).length);
const freesNothingByDelivered = freesNothingBy(({ outcome }) => outcome.kind === 'delivered');

/** Loses so much room with each webhook that is removed. */
const losesByRemoval = (count: number) =>
  capsThat(({ webhooks, deliveries }) => {
    let lost = 0;
    return {
      more: () => -lost,
      stores: {
        deliveries,
        webhooks: {
          ...webhooks,
          remove: (ref) => {
            lost += count;
            return webhooks.remove(ref);
          },
        },
      },
    };
  });

/** Of the attempts that end between two claims, only one leaves room. */
const freesOneUntilAsked = capsThat(({ webhooks, deliveries }) => {
  let lost = 0;
  let ended = 0;
  return {
    more: () => -lost,
    stores: {
      webhooks,
      deliveries: {
        ...deliveries,
        claim: (request) => {
          ended = 0;
          return deliveries.claim(request);
        },
        complete: (ends, limits) => {
          lost += Math.max(0, ended + ends.length - 1) - Math.max(0, ended - 1);
          ended += ends.length;
          return deliveries.complete(ends, limits);
        },
      },
    },
  };
});

expectWebhookFaultsNoticed(deliveryCaps, {
  'limits attempts in flight per webhook, and frees a permit when an attempt ends': {
    'ignores the limit of attempts in flight': knowsNoCap,
    'allows one attempt too many': isOneTooGenerous,
    'limits attempts per process only': capsOfEachProcess,
    'reads and writes non-atomically': readThenWriteWebhooks,
    'frees no permit on delivery': freesNothingByDelivered,
    'frees no permit when an attempt is returned': freesNothingBy(
      ({ outcome }) => outcome.kind === 'not_started',
    ),
  },
  'delivers all messages at a limit of one attempt per webhook while claims and completions interleave':
    {
      'claims nothing more after one empty claim': deliveriesThat(({ deliveries }) => {
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
    'ignores the limit of attempts in flight': knowsNoCap,
    'allows one attempt too many': isOneTooGenerous,
    'counts all accounts together': deliveriesThat(({ deliveries }) => {
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
    'reads and writes non-atomically': readThenWriteWebhooks,
    'allows one attempt too many': isOneTooGenerous,
  },
  'frees the permits of an account when its webhook is removed': {
    'counts attempts of a removed webhook as in flight': losesByRemoval(3),
    'completes attempts of a removed webhook': completedThat(() => ({
      outcome: 'completed',
      disabled: null,
    })),
    'does not remove the webhook': keepsWhatIsRemoved,
  },
  'starves no webhook of an account that is at its limit': {
    'claims in the order of webhook ids': capacityBy((a, b) =>
      a.webhookId < b.webhookId ? -1 : 1,
    ),
    'empties one webhook before the next': capacityBy(() => 0),
    'ignores the limit of attempts in flight': knowsNoCap,
    'frees no permit on delivery': freesNothingByDelivered,
  },
  'skips removed and disabled webhooks when permits of the account become free': {
    'loses the permit of a removed webhook': losesByRemoval(1),
    'loses the permit of a disabled webhook': losesCapacityBy(
      (_ends, answers) => answers.filter((each) => 'disabled' in each && each.disabled).length,
    ),
    'gives the permit to a removed webhook': keepsWhatIsRemoved,
    'gives the permit to a webhook that should be disabled': endsThat((end) =>
      'result' in end ? { ...end, outcome: { kind: 'failed', reason: 'exhausted' } } : end,
    ),
    'allows one attempt too many': isOneTooGenerous,
    'returns no nextInMs while the account is at its limit': saysNotWhenToAsk,
  },
  'skips webhooks in backoff when permits of the account become free': {
    'loses the permit of a webhook in backoff': freesNothingBy(
      (end) => 'result' in end && end.backoffMs > 0,
    ),
    'gives the permit to a webhook in backoff': endsThat((end) =>
      'result' in end ? { ...end, backoffMs: 0 } : end,
    ),
    'frees no permit on delivery': freesNothingByDelivered,
    'claims in the descending order of webhook ids': capacityBy((a, b) =>
      a.webhookId < b.webhookId ? 1 : -1,
    ),
    'returns no nextInMs while the account is at its limit': saysNotWhenToAsk,
  },
  'reuses all freed permits, whether attempts complete one by one or in one call': {
    'ignores the limit of attempts in flight': knowsNoCap,
    'frees no permit on delivery': freesNothingByDelivered,
    'frees at most one permit between two claims': freesOneUntilAsked,
    'frees one permit per call of complete()': losesCapacityBy(({ length }) => length - 1),
  },
});
