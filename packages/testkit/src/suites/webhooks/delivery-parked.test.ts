import type { StartOutcome } from '@latchhook/core/storage';
import { found } from '../../actions/register-webhook.ts';
import { deliveryTo, newWebhook, POLICY } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { admissionsThat, roomThat, wakesNone } from '../../self-test/faulty-deliveries.ts';
import { ratesThat } from '../../self-test/faulty-rates.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import type { WebhookHarness } from '../../trials/webhook-trial.ts';
import { deliveryParked } from './delivery-parked.ts';

type Deferred = Extract<StartOutcome, { readonly outcome: 'deferred' }>;

/** Changes the answer to a deferred start. */
function deferralsThat(change: (answer: Deferred) => Deferred): WebhookHarness {
  return deliveriesThat(({ deliveries }) => ({
    start: async (request) => {
      const answer = await deliveries.start(request);
      return answer.outcome === 'deferred' ? change(answer) : answer;
    },
  }));
}

expectWebhookFaultsNoticed(deliveryParked, {
  'stay parked while others are rescheduled, and hide none of them': {
    'wakes all that are parked': roomThat(() => 1_000),
    'reschedules those alone that are before all that are parked': deliveriesThat(
      ({ deliveries }) => ({
        reschedule: async (ref, request) => {
          const rescheduled = found(await deliveries.reschedule(ref, request));
          return rescheduled.filter(({ position }) => position.line === 'retries');
        },
      }),
    ),
    'ends a page where it meets one that is parked': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, request) => {
        const rescheduled = found(await deliveries.reschedule(ref, request));
        const first = rescheduled[0]?.position.sequence ?? 0;
        return rescheduled.filter(({ position }, nth) => position.sequence - first === nth);
      },
    })),
  },
  'are joined by deliveries that a raised rate would make ask too early, and are woken in order': {
    'makes all ask that the rate would let start': roomThat(() => 1_000),
    'has them wait for one lease, however many are before them': deliveriesThat(
      ({ deliveries }) => ({
        reschedule: async (ref, request) => {
          const rescheduled = found(await deliveries.reschedule(ref, request));
          const { leaseMs } = request;
          return rescheduled.map((one) => ({ ...one, delayMs: Math.min(one.delayMs, leaseMs) }));
        },
      }),
    ),
    'does not wake them': wakesNone,
    'wakes them for at once': deliveriesThat(({ deliveries }) => ({
      finish: async (request) => {
        const answer = await deliveries.finish(request);
        if (answer.outcome !== 'finished' || answer.next === null) return answer;
        return { ...answer, next: { ...answer.next, delayMs: 0 } };
      },
    })),
    'reschedules none a second time': deliveriesThat(({ deliveries }) => {
      const known = new Set<string>();
      return {
        reschedule: async (ref, request) => {
          const rescheduled = found(await deliveries.reschedule(ref, request));
          return rescheduled.filter(({ deliveryId }) => known.size !== known.add(deliveryId).size);
        },
      };
    }),
  },
  'are parked behind others, even if those only wait for the rate': {
    'has all of them ask by the rate': deferralsThat((answer) => ({ ...answer, reason: 'rate' })),
    'answers when there is room, whatever the rate says': deferralsThat((answer) =>
      answer.reason === 'in_flight' ? { ...answer, delayMs: POLICY.leaseMs } : answer,
    ),
    'wakes none': wakesNone,
  },
  'are not kept from their room by one that should have asked long ago': {
    'leaves it to the one that is to ask': wakesNone,
    'wakes it for those that ask alone': deliveriesThat(({ deliveries }) => ({
      finish: async (request) => {
        const answer = await deliveries.finish(request);
        return answer.outcome === 'finished' ? { ...answer, next: null } : answer;
      },
    })),
    'wakes it for everybody': deferralsThat((answer) => ({
      ...answer,
      next: answer.next ?? { ...deliveryTo(newWebhook('w1'), 'm1'), run: 1, delayMs: 0 },
    })),
    'wakes who comes after it': deferralsThat((answer) => ({
      ...answer,
      next: answer.next && { ...answer.next, deliveryId: 'm2' },
    })),
  },
  'come after the delivery whose turn it is, of either line, if that is late': {
    'leaves it to the one that is to ask': wakesNone,
    'wakes the first try, whatever started last': deferralsThat((answer) => ({
      ...answer,
      next: answer.next && { ...answer.next, deliveryId: 'm5' },
    })),
    'wakes the retry, whatever started last': admissionsThat((answer) => ({
      ...answer,
      next: answer.next && { ...answer.next, deliveryId: 'm1' },
    })),
  },
  'stay parked behind a receiver that hangs, even if the rate alone would have them ask again and again':
    {
      'says by the rate when to ask again': deliveriesThat(({ deliveries }) => ({
        start: async (request) => {
          const answer = await deliveries.start(request);
          return answer.outcome === 'deferred'
            ? { ...answer, reason: 'rate', delayMs: 1_200 }
            : answer;
        },
      })),
      'makes it ask again as soon as the rate allows': deliveriesThat(({ deliveries }) => ({
        start: async (request) => {
          const answer = await deliveries.start(request);
          return answer.outcome === 'deferred' ? { ...answer, delayMs: 1_200 } : answer;
        },
      })),
      'goes by no rate': ratesThat(() => 5_000),
    },
});
