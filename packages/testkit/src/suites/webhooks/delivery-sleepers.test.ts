import { noticeBrokenWebhooks } from '../../self-test/notice-broken-webhooks.ts';
import { ratesThat } from '../../self-test/rates-that.ts';
import { deliveriesThat } from '../../self-test/webhooks-that.ts';
import { deliverySleepers } from './delivery-sleepers.ts';

const wakesAll = deliveriesThat(({ deliveries }) => ({
  reschedule: (ref, request) => deliveries.reschedule(ref, { ...request, maxInFlight: 1_000 }),
}));

noticeBrokenWebhooks(deliverySleepers, {
  'sleep on while others are told anew, and hide none of them': {
    'wakes all that sleep': wakesAll,
    'tells those alone that are before all that sleep': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, request) => {
        const told = await deliveries.reschedule(ref, request);
        return told.filter(({ cursor }) => cursor < 0);
      },
    })),
    'ends a page where it meets one that sleeps': deliveriesThat(({ deliveries }) => ({
      reschedule: async (ref, request) => {
        const told = await deliveries.reschedule(ref, request);
        const first = told[0]?.cursor ?? 0;
        return told.filter(({ cursor }, nth) => cursor - first === nth);
      },
    })),
  },
  'are joined by those whom a raised rate would have ask in vain, and are named in order': {
    'has all ask whom the rate would let start': wakesAll,
    'has all sleep for whom there is no room, whatever the rate says': deliveriesThat(
      ({ deliveries }) => ({
        reschedule: async (ref, request) => {
          const told = await deliveries.reschedule(ref, request);
          return told.map((one) => (one.delayMs === 0 ? one : { ...one, delayMs: 60_000 }));
        },
      }),
    ),
    'has them sleep for one lease, however many are before them': deliveriesThat(
      ({ deliveries }) => ({
        reschedule: async (ref, request) => {
          const told = await deliveries.reschedule(ref, request);
          const { leaseMs } = request;
          return told.map((one) => ({ ...one, delayMs: Math.min(one.delayMs, leaseMs) }));
        },
      }),
    ),
    'does not name them': deliveriesThat(({ deliveries }) => ({
      finish: async (request) => {
        const answer = await deliveries.finish(request);
        return answer.outcome === 'finished' ? { ...answer, next: null } : answer;
      },
    })),
    'tells nobody who is awake again': deliveriesThat(({ deliveries }) => {
      const known = new Set<string>();
      return {
        reschedule: async (ref, request) => {
          const told = await deliveries.reschedule(ref, request);
          return told.filter(({ deliveryId }) => known.size !== known.add(deliveryId).size);
        },
      };
    }),
  },
  'sleep on where the rate would have them ask again and again, behind a receiver that hangs': {
    'says by the rate when to ask again': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        return answer.outcome === 'deferred' ? { ...answer, by: 'rate', delayMs: 1_200 } : answer;
      },
    })),
    'has it ask again as soon as the rate allows': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        return answer.outcome === 'deferred' ? { ...answer, delayMs: 1_200 } : answer;
      },
    })),
    'goes by no rate': ratesThat(() => 5_000),
  },
  'are woken where those under way are lost by now': {
    'wakes nobody': deliveriesThat(({ deliveries }) => ({
      reschedule: (ref, request) => deliveries.reschedule(ref, { ...request, maxInFlight: 0 }),
    })),
    'never takes an attempt for lost': deliveriesThat(({ deliveries }) => ({
      start: (request) => deliveries.start({ ...request, leaseMs: 1_000 * request.leaseMs }),
    })),
  },
  'are woken, as many as find room, where nobody is under way who would name them': {
    'wakes all that sleep': wakesAll,
    'wakes nobody': deliveriesThat(({ deliveries }) => ({
      reschedule: (ref, request) => deliveries.reschedule(ref, { ...request, maxInFlight: 0 }),
    })),
    'wakes as many of either line': deliveriesThat(({ deliveries }) => ({
      reschedule: (ref, request) =>
        deliveries.reschedule(ref, { ...request, maxInFlight: 2 * request.maxInFlight }),
    })),
  },
});
