import type { AttemptEnd, DeliveryStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import {
  attemptsThat,
  claimedThat,
  enablesOnlyDisabled,
  endsThat,
} from '../../self-test/faulty-deliveries.ts';
import { deliveriesThat, storesThat, webhooksThat } from '../../self-test/faulty-webhooks.ts';
import { deliveryBackoffs } from './delivery-backoffs.ts';

const backsOff = (change: (end: AttemptEnd, backoffMs: number, nowMs: number) => number) =>
  endsThat((end, clock) =>
    'result' in end && end.backoffMs > 0
      ? { ...end, backoffMs: change(end, end.backoffMs, clock.nowMs()) }
      : end,
  );

expectWebhookFaultsNoticed(deliveryBackoffs, {
  'holds back a webhook that backs off, and no other': {
    'knows no backoff': backsOff(() => 0),
    'is late by one': backsOff((_end, ms) => ms + 1),
    'is early by one': backsOff((_end, ms) => ms - 1),
    'backs off by failures alone': backsOff((end, ms) => (end.outcome.kind === 'retry' ? ms : 0)),
    'goes by the shortest': backsOff((_end, ms) => Math.min(ms, 500)),
    'counts from the claim': backsOff((end, ms, nowMs) => end.claimedAtMs + ms - nowMs),
    'has workers ask in vain': claimedThat(({ nextInMs }) => ({ nextInMs: nextInMs && 1 })),
    'has all webhooks wait': deliveriesThat(({ deliveries, clock }) => {
      let untilMs = 0;
      const claim: DeliveryStore['claim'] = async (request) =>
        clock.nowMs() < untilMs
          ? { attempts: [], poisoned: [], nextInMs: untilMs - clock.nowMs() }
          : deliveries.claim(request);
      const complete: DeliveryStore['complete'] = (ends, limits) => {
        for (const end of ends) {
          if ('result' in end && end.backoffMs > 0) untilMs = clock.nowMs() + end.backoffMs;
        }
        return deliveries.complete(ends, limits);
      };
      return { claim, complete };
    }),
  },
  'ends a backoff when the URL changes or the webhook is enabled, and by no other change': {
    'knows no backoff': backsOff(() => 0),
    'ends it by any change': webhooksThat(({ webhooks }) => ({
      change: (ref, { url = 'https://changed.example.com/', ...change }) =>
        webhooks.change(ref, { ...change, url }),
    })),
    'changes no URL': webhooksThat(({ webhooks }) => ({
      change: (ref, { url, ...change }) => webhooks.change(ref, change),
    })),
    'sends to the URL of the publishing': attemptsThat(({ webhook }) => ({
      webhook: { ...webhook, url: 'https://receiver.example.com/' },
    })),
    'ends none of an enabled one': enablesOnlyDisabled,
    'ends it by what is sent again': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        redeliver: async (ref) => {
          await webhooks.enable(ref);
          return deliveries.redeliver(ref);
        },
      },
    })),
  },
});
