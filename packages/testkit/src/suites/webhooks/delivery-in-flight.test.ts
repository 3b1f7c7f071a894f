import type { ScheduledDelivery } from '@latchhook/core/storage';
import { deliveryTo, newWebhook } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { startsThat } from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryInFlight } from './delivery-in-flight.ts';

/** Names another delivery as next. */
function saysNext(change: (next: ScheduledDelivery | null) => ScheduledDelivery | null) {
  return deliveriesThat(({ deliveries }) => ({
    finish: async (request) => {
      const answer = await deliveries.finish(request);
      return answer.outcome === 'finished' ? { ...answer, next: change(answer.next) } : answer;
    },
  }));
}

const wakesAnybody = saysNext((next) => ({
  ...(next ?? { ...deliveryTo(newWebhook('w1'), 'm2'), run: 1 }),
  delayMs: 0,
}));
const knowsNoCap = startsThat(() => ({ maxInFlight: 1_000 }));

const forgetsNothing = deliveriesThat(({ deliveries }) => ({
  publish: (message) =>
    deliveries.publish({ ...message, retentionMs: Number.MAX_SAFE_INTEGER / 2 }),
}));

expectWebhookFaultsNoticed(deliveryInFlight, {
  'are at most maxInFlight, and the next one has to wait': {
    'knows no cap': knowsNoCap,
    'is one too strict': startsThat(({ maxInFlight }) => ({ maxInFlight: maxInFlight - 1 })),
    'says that it is the rate': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        return answer.outcome === 'deferred' ? { ...answer, reason: 'rate' } : answer;
      },
    })),
    'makes it ask again at once': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        return answer.outcome === 'deferred' ? { ...answer, delayMs: 1 } : answer;
      },
    })),
  },
  'make room when they end, and name the delivery to wake, each once': {
    'names none': saysNext(() => null),
    'says the same again': saysNext((next) => next && { ...next, deliveryId: 'm3' }),
    'names another time': saysNext((next) => next && { ...next, delayMs: 1 }),
    'always says somebody': saysNext(
      (next) => next ?? { ...deliveryTo(newWebhook('w1'), 'm4'), run: 1, delayMs: 0 },
    ),
  },
  'make room for the first delivery that is not yet forgotten': {
    'names none': saysNext(() => null),
    'wakes what is forgotten': saysNext((next) => next && { ...next, deliveryId: 'm2' }),
    'forgets nothing': forgetsNothing,
  },
  'make room behind others that are forgotten before they are late': {
    'names none': saysNext(() => null),
    'wakes what is forgotten': saysNext((next) => next && { ...next, deliveryId: 'm2' }),
    'forgets nothing': forgetsNothing,
  },
  'wake no delivery that the rate forbids': {
    'wakes any that waits': wakesAnybody,
  },
  'wake no delivery of a disabled webhook': {
    'wakes any that waits': wakesAnybody,
  },
  'name no delivery without room, however late the next is': {
    'finds room anyway': saysNext((next) => ({
      ...(next ?? { ...deliveryTo(newWebhook('w1'), 'm3'), run: 1 }),
      delayMs: 0,
    })),
  },
  'are counted for each webhook separately': {
    'counts all together': deliveriesThat(({ deliveries }) => {
      let inFlight = 0;
      return {
        start: async (request) => {
          if (inFlight >= request.maxInFlight) {
            return { outcome: 'deferred', delayMs: 20, reason: 'in_flight', next: null };
          }
          inFlight += 1;
          return deliveries.start(request);
        },
      };
    }),
  },
  'are at most one per delivery': {
    'knows no lease': startsThat(() => ({ leaseMs: 0 })),
    'is early by one': startsThat(({ leaseMs }) => ({ leaseMs: leaseMs - 1 })),
    'says that it is over': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        return answer.outcome === 'deferred' ? { outcome: 'over' } : answer;
      },
    })),
  },
});
