import { LONGEST_PAUSE_MS } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { deliveriesThat, storesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryPauses } from './delivery-pauses.ts';

const pausesNever = deliveriesThat(({ deliveries }) => ({
  finish: (request) => deliveries.finish({ ...request, pauseMs: 0 }),
}));

const pausesForTooLong = deliveriesThat(({ deliveries }) => ({
  finish: (request) => deliveries.finish({ ...request, pauseMs: 3 * request.pauseMs }),
}));

/** The last pause counts, even if it is none. */
const takesTheLast = storesThat(({ webhooks, deliveries }) => ({
  webhooks,
  deliveries: {
    ...deliveries,
    finish: async (request) => {
      await webhooks.enable(request);
      return deliveries.finish(request);
    },
  },
}));

const pausesAll = deliveriesThat(({ deliveries, clock }) => {
  let pausedUntilMs = 0;
  return {
    start: (request) => {
      const delayMs = pausedUntilMs - clock.nowMs();
      if (delayMs <= 0) return deliveries.start(request);
      return { outcome: 'deferred', delayMs, reason: 'rate', next: null };
    },
    finish: (request) => {
      pausedUntilMs = clock.nowMs() + request.pauseMs;
      return deliveries.finish(request);
    },
  };
});

expectWebhookFaultsNoticed(deliveryPauses, {
  'keep every attempt of their webhook waiting until they are over': {
    'pauses never': pausesNever,
    'pauses for too long': pausesForTooLong,
  },
  'hold for their webhook alone': { 'pauses all webhooks': pausesAll },
  'are prolonged by longer ones, and not shortened by others': {
    'pauses never': pausesNever,
    'takes the last': takesTheLast,
    'takes the first': deliveriesThat(({ deliveries }) => {
      let isPaused = false;
      return {
        finish: (request) => {
          const pauseMs = isPaused ? 0 : request.pauseMs;
          isPaused = true;
          return deliveries.finish({ ...request, pauseMs });
        },
      };
    }),
  },
  'put off what is published, woken or sent again meanwhile': {
    'wakes at once': deliveriesThat(({ deliveries }) => ({
      finish: async (request) => {
        const answer = await deliveries.finish(request);
        if (answer.outcome !== 'finished' || answer.next === null) return answer;
        return { ...answer, next: { ...answer.next, delayMs: 0 } };
      },
    })),
    'publishes at once': deliveriesThat(({ deliveries }) => ({
      publish: async (message) => {
        const answer = await deliveries.publish(message);
        if (answer.outcome !== 'published') return answer;
        return { ...answer, scheduled: answer.scheduled.map((one) => ({ ...one, delayMs: 0 })) };
      },
    })),
    'sends again at once': deliveriesThat(({ deliveries }) => ({
      resend: async (ref) => {
        const answer = await deliveries.resend(ref);
        if (answer?.outcome !== 'scheduled') return answer;
        return { ...answer, scheduled: { ...answer.scheduled, delayMs: 0 } };
      },
    })),
  },
  'let what waits for their end come at the pace of the rate': {
    'lets all come at their end': deliveriesThat(({ deliveries }) => ({
      publish: async (message) => {
        const answer = await deliveries.publish(message);
        if (answer.outcome !== 'published') return answer;
        const { scheduled } = answer;
        const delayed = scheduled.map((one) => ({
          ...one,
          delayMs: Math.min(one.delayMs, LONGEST_PAUSE_MS),
        }));
        return { ...answer, scheduled: delayed };
      },
    })),
    'reckons as if there were room meanwhile': deliveriesThat(({ deliveries }) => ({
      start: async (request) => {
        const answer = await deliveries.start(request);
        if (answer.outcome !== 'deferred' || answer.reason !== 'in_flight') return answer;
        return { ...answer, delayMs: answer.delayMs - LONGEST_PAUSE_MS };
      },
    })),
  },
  'end when their webhook is enabled, whether or not it was disabled': {
    'goes on': webhooksThat(({ webhooks }) => ({
      enable: async (ref) => {
        const webhook = await webhooks.find(ref);
        return webhook && { outcome: 'was_enabled', webhook };
      },
    })),
  },
  'end with another URL, and with no other change': {
    'goes on': webhooksThat(({ webhooks }) => ({
      change: (ref, { url: _url, ...others }) => webhooks.change(ref, others),
    })),
    'ends with any': webhooksThat(({ webhooks }) => ({
      change: async (ref, change) => {
        await webhooks.enable(ref);
        return webhooks.change(ref, change);
      },
    })),
  },
  'begin by no attempt that started before one was ended': {
    'takes late answers': pausesAll,
    'pauses no more': storesThat(({ webhooks, deliveries }) => {
      let wasEnded = false;
      return {
        webhooks: {
          ...webhooks,
          enable: (ref) => {
            wasEnded = true;
            return webhooks.enable(ref);
          },
        },
        deliveries: {
          ...deliveries,
          finish: (request) =>
            deliveries.finish({ ...request, pauseMs: wasEnded ? 0 : request.pauseMs }),
        },
      };
    }),
  },
});
