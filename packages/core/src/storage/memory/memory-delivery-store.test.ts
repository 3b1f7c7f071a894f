import { describe, expect, it } from 'vitest';
import { memoryStorage } from './memory-storage.ts';

const REF = { accountId: 1, webhookId: 'wh_1' };

const CLAIM = {
  ...{ limit: 10, leaseMs: 20_000, rateMarginMs: 0, maxStalledAttempts: 5 },
  ...{ maxInFlightPerWebhook: 10, maxInFlightPerAccount: 10 },
};

describe('MemoryDeliveryStore', () => {
  it('does not count the deliveries of a disabled webhook as pending', async () => {
    const clock = { ms: 0, nowMs: () => clock.ms };
    const { webhooks, deliveries } = memoryStorage({ clock });
    const settings = { url: 'https://receiver.example', rateLimit: 10 };
    await webhooks.create(
      {
        ...REF,
        ...settings,
        rateLimitPeriod: 'second',
        event: 'A.B',
        encryptedSecret: 'encrypted',
      },
      { maxPerAccount: 1 },
    );
    for (const messageId of ['m1', 'm2', 'm3']) {
      await deliveries.publish({
        ...{ accountId: 1, messageId, event: 'A.B', body: '{}', webhookId: null },
        ...{ idempotencyKey: null, idempotencyMs: 1_000, retentionMs: 60_000, maxQueued: 10 },
      });
    }
    const { attempts } = await deliveries.claim({ ...CLAIM, limit: 2 });
    const result = { status: 410, durationMs: 1, error: 'status' };
    const outcomes = [
      { kind: 'failed', reason: 'gone' },
      { kind: 'retry', delayMs: 0 },
    ] as const;
    const ends = attempts.map((attempt, nth) => ({
      ...{ ...attempt, result, backoffMs: 0, url: attempt.webhook.url },
      outcome: outcomes[nth] ?? outcomes[0],
    }));
    expect(await deliveries.complete(ends, { disableAfterMs: 1_000 })).toMatchObject([
      { disabled: 'gone' },
      {},
    ]);
    clock.ms += 500;
    expect(await deliveries.stats()).toEqual({ pending: 0, oldestDueAgeMs: 0 });
    await webhooks.enable(REF);
    expect(await deliveries.stats()).toEqual({ pending: 2, oldestDueAgeMs: 0 });
  });
});
