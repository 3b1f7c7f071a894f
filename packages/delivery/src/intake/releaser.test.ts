import { memoryStorage, systemClock } from '@latchhook/core';
import { systemTimers } from '@latchhook/core/delivery';
import type { ScheduledDelivery, WebhookRef } from '@latchhook/core/storage';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type ReleaserDeps, startReleaser } from './releaser.ts';

const LOOK_MS = 30_000;

const names = (found: readonly ScheduledDelivery[]): string[] =>
  found.map(({ deliveryId }) => deliveryId);

/** A store in memory in which a webhook with so many held deliveries was enabled, and nobody released them. */
async function unreleased(count: number): Promise<ReleaserDeps['deliveries']> {
  const { webhooks, deliveries } = memoryStorage();
  const ref: WebhookRef = { accountId: 1, webhookId: 'wh_1' };
  const rate = { rateLimit: 10_000, rateLimitPeriod: 'second' } as const;
  const fields = { event: 'Contact.Added', url: 'https://example.com', sealedSecret: '' };
  await webhooks.create({ ...ref, ...fields, ...rate }, { maxPerAccount: 10 });
  const publish = async (messageId: string) => {
    const message = { messageId, event: 'Contact.Added', body: '{}', idempotencyKey: null };
    const bounds = { idempotencyMs: 1, retentionMs: 1e9, maxQueued: 1e6, rateMarginMs: 0 };
    await deliveries.publish({ ...ref, ...message, ...bounds });
  };
  await publish('gone');
  const attempt = { ...ref, deliveryId: 'gone' };
  const limits = { maxInFlight: 1, maxLostAttempts: 5, rateMarginMs: 0, leaseMs: 20_000 };
  await deliveries.start({ ...attempt, run: 1, ...limits, withdrawnStartAtMs: null });
  await deliveries.finish({
    ...attempt,
    attempt: 1,
    result: { status: 410, durationMs: 1, error: null, response: '' },
    verdict: { kind: 'dead', reason: 'gone' },
    disableAfterMs: 1e9,
    pauseMs: 0,
    maxInFlight: 1,
  });
  for (let nth = 0; nth < count; nth += 1) await publish(`held-${nth}`);
  await webhooks.enable(ref);
  return deliveries;
}

function releaserOf(deliveries: ReleaserDeps['deliveries'], enqueue: () => Promise<void>) {
  const enqueued: string[] = [];
  const reported: unknown[] = [];
  const releaser = startReleaser({
    deliveries,
    queue: {
      async enqueue(found) {
        await enqueue();
        enqueued.push(...names(found));
      },
    },
    report: (error) => void reported.push(error),
    clock: systemClock,
    random: () => 0.5,
    timers: systemTimers,
  });
  return { releaser, enqueued, reported };
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the releaser', () => {
  it('hands over all that is held of an enabled webhook, a hundred at a time', async () => {
    const { releaser, enqueued } = releaserOf(await unreleased(250), async () => {});
    await vi.advanceTimersByTimeAsync(LOOK_MS / 2);
    expect(enqueued).toEqual(Array.from({ length: 100 }, (_, nth) => `held-${nth}`));
    await vi.advanceTimersByTimeAsync(200);
    expect(enqueued).toHaveLength(250);
    await releaser.stop();
  });

  it('pauses for three times as long as it took, while there is more', async () => {
    const slow = () => new Promise<void>((resolve) => void setTimeout(resolve, 200));
    const { releaser, enqueued } = releaserOf(await unreleased(200), slow);
    await vi.advanceTimersByTimeAsync(LOOK_MS / 2 + 200 + 599);
    expect(enqueued).toHaveLength(100);
    await vi.advanceTimersByTimeAsync(1 + 200);
    expect(enqueued).toHaveLength(200);
    await releaser.stop();
  });

  it('looks every half a minute where there is nothing to release', async () => {
    const looks = vi.fn(async () => []);
    const { releaser } = releaserOf({ unreleased: looks, release: vi.fn() }, async () => {});
    await vi.advanceTimersByTimeAsync(LOOK_MS / 2 + 9 * LOOK_MS);
    expect(looks).toHaveBeenCalledTimes(10);
    await releaser.stop();
  });

  it('does not ask all the time about what is named and never released', async () => {
    const looks = vi.fn(async () => [{ accountId: 1, webhookId: 'wh_1' }]);
    const release = vi.fn(async () => ({ scheduled: [], count: 0, more: true }));
    const { releaser } = releaserOf({ unreleased: looks, release }, async () => {});
    await vi.advanceTimersByTimeAsync(LOOK_MS / 2 + 9 * LOOK_MS);
    expect(looks).toHaveBeenCalledTimes(10);
    await releaser.stop();
  });

  it('goes on after a fault, and reports it', async () => {
    const deliveries = await unreleased(150);
    let isRefusing = true;
    const { releaser, enqueued, reported } = releaserOf(deliveries, async () => {
      if (isRefusing) throw new Error('the queue is unavailable');
    });
    await vi.advanceTimersByTimeAsync(LOOK_MS / 2);
    expect(reported).toEqual([new Error('the queue is unavailable')]);
    isRefusing = false;
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    // The first hundred are released, though the queue lacks them: a sweep finds them.
    expect(enqueued).toEqual(Array.from({ length: 50 }, (_, nth) => `held-${100 + nth}`));
    await releaser.stop();
  });

  it('releases the others where the deliveries of one webhook cannot be released', async () => {
    const deliveries = await unreleased(1);
    const stuck: WebhookRef = { accountId: 1, webhookId: 'wh_stuck' };
    const { releaser, enqueued, reported } = releaserOf(
      {
        unreleased: async (request) => [stuck, ...(await deliveries.unreleased(request))],
        async release(webhook, request) {
          if (webhook === stuck) throw new Error('stuck');
          return deliveries.release(webhook, request);
        },
      },
      async () => {},
    );
    await vi.advanceTimersByTimeAsync(LOOK_MS / 2);
    expect(enqueued).toEqual(['held-0']);
    expect(reported).toEqual([new Error('stuck')]);
    await releaser.stop();
  });

  it('looks no more once it is stopped', async () => {
    const { releaser, enqueued } = releaserOf(await unreleased(1), async () => {});
    await releaser.stop();
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    expect(enqueued).toEqual([]);
  });
});
