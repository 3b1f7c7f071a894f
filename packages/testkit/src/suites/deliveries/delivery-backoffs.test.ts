import type { AttemptEnd, DeliveryStore } from '@latchhook/core/storage';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  enablesOnlyDisabled,
  faultyAttempts,
  faultyClaims,
  faultyEnds,
} from '../../self-test/faulty-deliveries.ts';
import { faultyDeliveries, faultyWebhooks } from '../../self-test/faulty-storage.ts';
import { deliveryBackoffs, SHORTER_BACKOFF_MS } from './delivery-backoffs.ts';

const faultyBackoffs = (change: (end: AttemptEnd, backoffMs: number, nowMs: number) => number) =>
  faultyEnds((end, clock) =>
    'result' in end && end.backoffMs > 0
      ? { ...end, backoffMs: change(end, end.backoffMs, clock.nowMs()) }
      : end,
  );

expectWebhookFaultsNoticed(deliveryBackoffs, {
  'claims deliveries of other webhooks, but none of a webhook in backoff': {
    'ignores backoffs': faultyBackoffs(() => 0),
    'ends a backoff 1 ms late': faultyBackoffs((_end, ms) => ms + 1),
    'ends a backoff 1 ms early': faultyBackoffs((_end, ms) => ms - 1),
    'ignores the backoff of an attempt that is not counted': faultyBackoffs((end, ms) =>
      end.outcome.kind === 'retry' ? ms : 0,
    ),
    'applies the shortest of several backoffs': faultyBackoffs((_end, ms) =>
      Math.min(ms, SHORTER_BACKOFF_MS),
    ),
    'counts a backoff from the claim instead of the completion': faultyBackoffs(
      (end, ms, nowMs) => end.claimedAtMs + ms - nowMs,
    ),
    'returns a nextInMs at which nothing is due': faultyClaims(({ nextInMs }) => ({
      nextInMs: nextInMs && 1,
    })),
    'applies a backoff to all webhooks': faultyDeliveries((deliveries, { clock }) => {
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
  'ends a backoff only on enable() and on a change of the URL': {
    'ignores backoffs': faultyBackoffs(() => 0),
    'ends a backoff on any change of the webhook': faultyWebhooks((webhooks) => ({
      change: (ref, { url = 'https://changed.example.com/', ...change }) =>
        webhooks.change(ref, { ...change, url }),
    })),
    'ignores a change of the URL': faultyWebhooks((webhooks) => ({
      change: (ref, { url, ...change }) => webhooks.change(ref, change),
    })),
    'sends to the URL at the time of publishing': faultyAttempts(({ webhook }) => ({
      webhook: { ...webhook, url: 'https://receiver.example.com/' },
    })),
    'keeps the backoff of a webhook that was already enabled': enablesOnlyDisabled,
    'ends a backoff on redelivery': faultyDeliveries((deliveries, { webhooks }) => ({
      redeliver: async (ref) => {
        await webhooks.enable(ref);
        return deliveries.redeliver(ref);
      },
    })),
  },
});
