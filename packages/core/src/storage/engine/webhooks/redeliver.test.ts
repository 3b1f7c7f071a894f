import { expect, it } from 'vitest';
import { systemClock } from '../../../ports/clock.ts';
import { memoryEngine } from '../memory-engine.ts';
import { storageOn } from '../storage-on.ts';

const REF = { accountId: 1, webhookId: 'w1' };
const COUNT = 70;

it('redeliverFailed on an engine redelivers at most sixty deliveries per transaction', async () => {
  const { webhooks, deliveries } = storageOn(memoryEngine(systemClock));
  await webhooks.create(
    {
      ...{ ...REF, event: 'A.B', url: 'https://receiver.example/', encryptedSecret: 'encrypted' },
      ...{ rateLimit: 5_000, rateLimitPeriod: 'second' },
    },
    { maxPerAccount: 10 },
  );
  for (let i = 0; i < COUNT; i += 1) {
    await deliveries.publish({
      ...{ accountId: 1, messageId: `m${i}`, event: 'A.B', body: '{}', webhookId: null },
      ...{ idempotencyKey: null, idempotencyMs: 1_000, retentionMs: 3_600_000, maxQueued: 5_000 },
    });
  }
  for (let failed = 0; failed < COUNT; ) {
    const { attempts } = await deliveries.claim({
      ...{ limit: COUNT, leaseMs: 20_000, rateMarginMs: 0, maxStalledAttempts: 5 },
      ...{ maxInFlightPerWebhook: COUNT, maxInFlightPerAccount: COUNT },
    });
    failed += attempts.length;
    const ends = attempts.map((attempt) => ({
      ...{ ...attempt, outcome: { kind: 'failed', reason: 'exhausted' } as const },
      ...{ result: { status: 500, durationMs: 1, error: null }, backoffMs: 0 },
      url: attempt.webhook.url,
    }));
    await deliveries.complete(ends, { disableAfterMs: 3_600_000 });
  }
  const request = { sinceMs: 0, limit: 500 };
  expect(await deliveries.redeliverFailed(REF, request)).toEqual({ count: 60, more: true });
  expect(await deliveries.redeliverFailed(REF, request)).toEqual({ count: 10, more: false });
});
