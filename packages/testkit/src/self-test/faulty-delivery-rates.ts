import type { ClaimedAttempt, ClaimRequest } from '@latchhook/core/storage';
import type { WebhookHarness, WebhookStores } from '../fixtures/webhook-fixture.ts';
import { NOTHING_CLAIMED, processesThat } from './faulty-deliveries.ts';
import { type SoundStores, storesThat } from './faulty-webhooks.ts';

interface Asked {
  readonly request: ClaimRequest;
  readonly nowMs: number;
}

/** Answers which of the earlier starts are counted. */
type Counted = (start: ClaimedAttempt, asked: Asked) => boolean;

/** Keeps a rate by counting starts in another way. */
export function ratesBy(rateLimit: number, counted: Counted): WebhookHarness {
  return storesThat((sound) => withRate(sound, rateLimit, counted));
}

/** Keeps a rate in each process, but not over all of them. */
export function ratesOfEachProcess(rateLimit: number): WebhookHarness {
  return processesThat((sound) =>
    withRate(sound, rateLimit, ({ claimedAtMs }, { nowMs }) => nowMs - claimedAtMs < 1_200),
  );
}

/** Registers webhooks with another rate than was asked for. */
export function ratesThat(change: (rateLimit: number) => number): WebhookHarness {
  return storesThat(({ webhooks, deliveries }) => ({
    deliveries,
    webhooks: {
      ...webhooks,
      create: (webhook, limits) =>
        webhooks.create({ ...webhook, rateLimit: change(webhook.rateLimit) }, limits),
    },
  }));
}

function withRate(sound: SoundStores, rateLimit: number, counted: Counted): WebhookStores {
  const { webhooks, deliveries, clock } = sound;
  const starts: ClaimedAttempt[] = [];
  return {
    webhooks: {
      ...webhooks,
      create: (webhook, limits) => webhooks.create({ ...webhook, rateLimit: 10_000 }, limits),
    },
    deliveries: {
      ...deliveries,
      claim: async (request) => {
        const asked = { request, nowMs: clock.nowMs() };
        const free = rateLimit - starts.filter((start) => counted(start, asked)).length;
        if (free <= 0) return NOTHING_CLAIMED;
        const claim = await deliveries.claim({ ...request, limit: Math.min(free, request.limit) });
        starts.push(...claim.attempts);
        return claim;
      },
    },
  };
}
