import { expectWebhookFaultsNoticed } from '../../self-test/expect-webhook-faults-noticed.ts';
import { requestsThat } from '../../self-test/faulty-deliveries.ts';
import { ratesBy, ratesOfEachProcess, ratesThat } from '../../self-test/faulty-delivery-rates.ts';
import {
  deliveriesThat,
  readThenWriteWebhooks,
  storesThat,
  webhooksThat,
} from '../../self-test/faulty-webhooks.ts';
import { deliveryRate } from './delivery-rate.ts';

const WINDOW_MS = 1_200;

const knowsNoMargin = requestsThat(() => ({ rateMarginMs: 0 }));
const marginsBy = (ms: number) =>
  requestsThat(({ rateMarginMs }) => ({ rateMarginMs: rateMarginMs + ms }));
const isOneTooGenerous = ratesThat((rateLimit) => rateLimit + 1);
const countsByTheClock = (rateLimit: number) =>
  ratesBy(
    rateLimit,
    ({ claimedAtMs }, { nowMs }) =>
      Math.floor(claimedAtMs / WINDOW_MS) === Math.floor(nowMs / WINDOW_MS),
  );
/** Lets so many more start once a webhook is changed, whatever the change. */
const allowsMoreAfter = (method: 'enable' | 'change', more: number) =>
  webhooksThat(({ webhooks }) => ({
    [method]: async (...[ref, change]: Parameters<typeof webhooks.change>) => {
      const { rateLimit = 0 } = { ...(await webhooks.find(ref)), ...change };
      await webhooks.change(ref, { ...change, rateLimit: rateLimit + more });
      return method === 'enable' ? webhooks.enable(ref) : webhooks.find(ref);
    },
  }));

/** Keeps attempts back until a time of day, which a clock that was set back reaches late. */
const backoffsByTimeOfDay = deliveriesThat(({ deliveries, clock }) => {
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
const leasesByTimeOfDay = deliveriesThat(({ deliveries, clock }) => {
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
  'claims no more than rateLimit at once, over all connections': {
    'is one too generous': isOneTooGenerous,
    'counts in each process': ratesOfEachProcess(7),
    'reads, then writes': readThenWriteWebhooks,
  },
  'opens again when period and margin have passed, to the millisecond': {
    'knows no margin': knowsNoMargin,
    'is late by one': marginsBy(1),
    'is early by one': marginsBy(-1),
    'counts by the clock': countsByTheClock(2),
    'counts from publishing': ratesBy(
      2,
      ({ createdAtMs }, { nowMs }) => nowMs - createdAtMs < WINDOW_MS,
    ),
  },
  'goes by the margin of each claim': {
    'has one of its own': requestsThat(() => ({ rateMarginMs: 200 })),
    'goes by that of the newest': ratesBy(
      1,
      ({ claimedAtMs }, { nowMs, request }) => nowMs - claimedAtMs < 1_000 + request.rateMarginMs,
    ),
  },
  'is counted over a minute where the webhook says so': {
    'knows seconds only': webhooksThat(({ webhooks }) => ({
      create: (webhook, limits) =>
        webhooks.create({ ...webhook, rateLimitPeriod: 'second' }, limits),
    })),
    'knows no margin': knowsNoMargin,
    'is late by one': marginsBy(1),
  },
  'holds for retries, and for what was not started': {
    'counts first tries only': ratesBy(
      2,
      ({ claimedAtMs, attempt }, { nowMs }) => attempt === 1 && nowMs - claimedAtMs < WINDOW_MS,
    ),
    'gives back what was not started': storesThat(({ webhooks, deliveries }) => ({
      webhooks,
      deliveries: {
        ...deliveries,
        complete: async (ends, limits) => {
          for (const end of ends) {
            if (end.outcome.kind === 'not_started') await webhooks.change(end, { rateLimit: 3 });
          }
          return deliveries.complete(ends, limits);
        },
      },
    })),
  },
  'applies to each webhook alone': {
    'counts all of them together': ratesBy(1, () => true),
    'gives all of them the lowest': ratesThat(() => 1),
  },
  'applies a changed rate at the next claim, and counts earlier starts': {
    'keeps that of the creation': webhooksThat(({ webhooks }) => ({
      change: (ref, { rateLimit, ...change }) => webhooks.change(ref, change),
    })),
    'forgets what started before': allowsMoreAfter('change', 4),
    'reads it a claim later': deliveriesThat(({ webhooks, deliveries }) => {
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
  'counts what started before its webhook was enabled, or got another URL': {
    'forgets it as it is enabled': allowsMoreAfter('enable', 1),
    'forgets it with its URL': allowsMoreAfter('change', 3),
  },
  'counts starts before a change of the period to a minute': {
    'looks at the second before': webhooksThat(({ webhooks }) => ({
      change: (ref, { rateLimitPeriod, ...change }) => webhooks.change(ref, change),
    })),
  },
  'delays nothing when the clock is set back, neither by rates nor by backoffs and leases': {
    'counts starts by the time of day': ratesBy(
      1,
      ({ webhookId, claimedAtMs }, { nowMs }) =>
        webhookId === 'w1' && nowMs - claimedAtMs < WINDOW_MS,
    ),
    'ends backoffs by the time of day': backoffsByTimeOfDay,
    'ends leases by the time of day': leasesByTimeOfDay,
  },
  'holds in every window, at random times and over all connections': {
    'is one too generous': isOneTooGenerous,
    'counts by the clock': countsByTheClock(10),
    'counts in each process': ratesOfEachProcess(10),
    'knows no margin': knowsNoMargin,
  },
});
