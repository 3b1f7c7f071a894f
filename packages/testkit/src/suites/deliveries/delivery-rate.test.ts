import { POLICY, RATE_WINDOW_MS, SECOND_MS } from '../../samples/webhook-samples.ts';
import { expectWebhookFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { ratesBy, ratesOfEachProcess } from '../../self-test/faulty-delivery-rates.ts';
import {
  faultyDeliveries,
  faultyRequests,
  faultyWebhooks,
} from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { deliveryRate } from './delivery-rate.ts';

const ignoresMargin = faultyRequests('deliveries', 'claim', () => ({ rateMarginMs: 0 }));
const faultyMargin = (ms: number) =>
  faultyRequests('deliveries', 'claim', ({ rateMarginMs }) => ({
    rateMarginMs: rateMarginMs + ms,
  }));
const allowsOneTooMany = faultyRequests('webhooks', 'create', ({ rateLimit }) => ({
  rateLimit: rateLimit + 1,
}));
const countInFixedWindows = (rateLimit: number) =>
  ratesBy(
    rateLimit,
    ({ claimedAtMs }, { nowMs }) =>
      Math.floor(claimedAtMs / RATE_WINDOW_MS) === Math.floor(nowMs / RATE_WINDOW_MS),
  );
/** Allows `more` attempts after a change, or after `enable`. */
const allowMoreAfter = (method: 'enable' | 'change', more: number) =>
  faultyWebhooks((webhooks) => ({
    [method]: async (...[ref, change]: Parameters<typeof webhooks.change>) => {
      const { rateLimit = 0 } = { ...(await webhooks.find(ref)), ...change };
      await webhooks.change(ref, { ...change, rateLimit: rateLimit + more });
      return method === 'enable' ? webhooks.enable(ref) : webhooks.find(ref);
    },
  }));

/** Applies backoffs by wall-clock time, so that they last longer after the clock was set back. */
const backoffsByWallClock = faultyDeliveries((deliveries, { clock }) => {
  const untilMs = new Map<string, number>();
  return {
    claim: async (request) => {
      const claim = await deliveries.claim(request);
      const attempts = claim.attempts.filter(
        ({ webhookId }) => (untilMs.get(webhookId) ?? 0) <= clock.nowMs(),
      );
      return { ...claim, attempts };
    },
    complete: (ends, limits) => {
      for (const end of ends) {
        if ('result' in end) untilMs.set(end.webhookId, clock.nowMs() + end.backoffMs);
      }
      return deliveries.complete(ends, limits);
    },
  };
});
const leasesByWallClock = faultyDeliveries((deliveries, { clock }) => {
  const untilMs = new Map<string, number>();
  return {
    claim: async (request) => {
      const claim = await deliveries.claim(request);
      const attempts = claim.attempts.filter(
        ({ deliveryId }) => (untilMs.get(deliveryId) ?? 0) <= clock.nowMs(),
      );
      for (const { deliveryId, claimedAtMs } of attempts) {
        untilMs.set(deliveryId, claimedAtMs + request.leaseMs);
      }
      return { ...claim, attempts };
    },
  };
});

expectWebhookFaultsNoticed(deliveryRate, {
  'claims no more than rateLimit over all connections together': {
    'allows one attempt too many': allowsOneTooMany,
    'counts attempts per process only': ratesOfEachProcess(7),
    'reads and writes non-atomically': nonAtomic,
  },
  'claims the next attempt in the millisecond that period and margin have passed': {
    'ignores the margin': ignoresMargin,
    'allows the next attempt 1 ms late': faultyMargin(1),
    'allows the next attempt 1 ms early': faultyMargin(-1),
    'counts attempts in fixed windows': countInFixedWindows(2),
    'counts an attempt from the time of publishing': ratesBy(
      2,
      ({ createdAtMs }, { nowMs }) => nowMs - createdAtMs < RATE_WINDOW_MS,
    ),
  },
  'applies to each attempt the rateMarginMs of its own claim': {
    'applies a fixed margin': faultyRequests('deliveries', 'claim', () => ({
      rateMarginMs: POLICY.rateMarginMs,
    })),
    'applies the margin of the newest claim': ratesBy(
      1,
      ({ claimedAtMs }, { nowMs, request }) =>
        nowMs - claimedAtMs < SECOND_MS + request.rateMarginMs,
    ),
  },
  'counts attempts per minute if rateLimitPeriod is minute': {
    'counts attempts per second only': faultyRequests('webhooks', 'create', () => ({
      rateLimitPeriod: 'second',
    })),
    'ignores the margin': ignoresMargin,
    'allows the next attempt 1 ms late': faultyMargin(1),
  },
  'counts retries and returned attempts towards the rate': {
    'counts first attempts only': ratesBy(
      2,
      ({ claimedAtMs, attempt }, { nowMs }) =>
        attempt === 1 && nowMs - claimedAtMs < RATE_WINDOW_MS,
    ),
    'does not count returned attempts': faultyDeliveries((deliveries, { webhooks }) => ({
      complete: async (ends, limits) => {
        for (const end of ends) {
          if (end.outcome.kind === 'not_started') await webhooks.change(end, { rateLimit: 3 });
        }
        return deliveries.complete(ends, limits);
      },
    })),
  },
  'limits the rate of each webhook separately': {
    'counts attempts of all webhooks together': ratesBy(1, () => true),
    'applies the lowest rate to all webhooks': faultyRequests('webhooks', 'create', () => ({
      rateLimit: 1,
    })),
  },
  'applies a changed rate to the next claim, including earlier attempts': {
    'ignores a change of the rate': faultyWebhooks((webhooks) => ({
      change: (ref, { rateLimit, ...change }) => webhooks.change(ref, change),
    })),
    'forgets earlier attempts on a change of the rate': allowMoreAfter('change', 4),
    'applies a changed rate one claim late': faultyDeliveries((deliveries, { webhooks }) => {
      let before: number | undefined;
      return {
        claim: async (request) => {
          const ref = { accountId: 7, webhookId: 'w1' };
          const { rateLimit = 0 } = (await webhooks.find(ref)) ?? {};
          const change = before ?? rateLimit;
          before = rateLimit;
          await webhooks.change(ref, { rateLimit: change });
          const claim = await deliveries.claim(request);
          await webhooks.change(ref, { rateLimit });
          return claim;
        },
      };
    }),
  },
  'counts attempts from before enable() or a change of the URL towards the rate': {
    'forgets earlier attempts when the webhook is enabled': allowMoreAfter('enable', 1),
    'forgets earlier attempts when the URL changes': allowMoreAfter('change', 3),
  },
  'counts attempts from before a change of the period to a minute towards the rate': {
    'counts attempts of the last second only': faultyWebhooks((webhooks) => ({
      change: (ref, { rateLimitPeriod, ...change }) => webhooks.change(ref, change),
    })),
  },
  'extends no rate window, backoff or lease when the clock is set back': {
    'measures rate windows by wall-clock time': ratesBy(
      1,
      ({ webhookId, claimedAtMs }, { nowMs }) =>
        webhookId === 'w1' && nowMs - claimedAtMs < RATE_WINDOW_MS,
    ),
    'measures backoffs by wall-clock time': backoffsByWallClock,
    'measures leases by wall-clock time': leasesByWallClock,
  },
  'keeps the rate in every window, at random times and over all connections': {
    'allows one attempt too many': allowsOneTooMany,
    'counts attempts in fixed windows': countInFixedWindows(10),
    'counts attempts per process only': ratesOfEachProcess(10),
    'ignores the margin': ignoresMargin,
  },
});
