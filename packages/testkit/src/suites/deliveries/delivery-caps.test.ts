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
  'limits attempts in flight per webhook, and starts the next as one ends': {
    'knows no cap': knowsNoCap,
    'is one too generous': isOneTooGenerous,
    'counts in each process': capsOfEachProcess,
    'reads, then writes': readThenWriteWebhooks,
    'frees nothing by an end': freesNothingByDelivered,
    'frees nothing by what was not started': freesNothingBy(
      ({ outcome }) => outcome.kind === 'not_started',
    ),
  },
  'keeps a webhook at its limit while claims and completions cross': {
    'forgets a webhook that was asked in vain': deliveriesThat(({ deliveries }) => {
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
    'knows no cap': knowsNoCap,
    'is one too generous': isOneTooGenerous,
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
    'counts in each process': capsOfEachProcess,
    'reads, then writes': readThenWriteWebhooks,
    'is one too generous': isOneTooGenerous,
  },
  'frees the permits of an account when its webhook is removed': {
    'counts what was removed': losesByRemoval(3),
    'lets it end': completedThat(() => ({ outcome: 'completed', disabled: null })),
    'keeps the webhook': keepsWhatIsRemoved,
  },
  'keeps no webhook waiting for long: the one that has waited longest is next': {
    'goes by the names of webhooks': capacityBy((a, b) => (a.webhookId < b.webhookId ? -1 : 1)),
    'serves one until it has nothing left': capacityBy(() => 0),
    'knows no cap': knowsNoCap,
    'frees nothing by an end': freesNothingByDelivered,
  },
  'gives free permits to a webhook that can use them, though others are removed or disabled': {
    'loses what it gives to a removed one': losesByRemoval(1),
    'loses what it gives to a disabled one': losesCapacityBy(
      (_ends, answers) => answers.filter((each) => 'disabled' in each && each.disabled).length,
    ),
    'gives it to a removed one': keepsWhatIsRemoved,
    'gives it to one that should be disabled': endsThat((end) =>
      'result' in end ? { ...end, outcome: { kind: 'failed', reason: 'exhausted' } } : end,
    ),
    'is one too generous': isOneTooGenerous,
    'does not say when to claim again': saysNotWhenToAsk,
  },
  'gives free permits to a webhook that can use them, though others back off': {
    'loses what it gives to one that backs off': freesNothingBy(
      (end) => 'result' in end && end.backoffMs > 0,
    ),
    'gives it to one that backs off': endsThat((end) =>
      'result' in end ? { ...end, backoffMs: 0 } : end,
    ),
    'loses it with the next end': freesNothingByDelivered,
    'goes by the names of webhooks, the last first': capacityBy((a, b) =>
      a.webhookId < b.webhookId ? 1 : -1,
    ),
    'does not say when to claim again': saysNotWhenToAsk,
  },
  'gives all free permits, whether attempts end one by one or at once': {
    'knows no cap': knowsNoCap,
    'frees nothing by an end': freesNothingByDelivered,
    'frees one until it is asked again': freesOneUntilAsked,
    'frees one by each call': losesCapacityBy(({ length }) => length - 1),
  },
});
