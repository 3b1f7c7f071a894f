import { expect, it } from 'vitest';
import { systemClock } from '../../../ports/clock.ts';
import { memoryEngine } from '../memory-engine.ts';
import { storageOn } from '../storage-on.ts';
import { CLAIM, newMessage, newWebhook } from './delivery-samples.test.support.ts';

const REF = { accountId: 1, webhookId: 'w1' };
const COUNT = 70;

it('redeliverFailed on an engine redelivers at most sixty deliveries per transaction', async () => {
  const { webhooks, deliveries } = storageOn(memoryEngine(systemClock));
  await webhooks.create(newWebhook('w1'), { maxPerAccount: 10 });
  for (let i = 0; i < COUNT; i += 1) await deliveries.publish(newMessage(`m${i}`));
  for (let failed = 0; failed < COUNT; ) {
    const { attempts } = await deliveries.claim(CLAIM);
    failed += attempts.length;
    const ends = attempts.map((attempt) => ({
      ...attempt,
      outcome: { kind: 'failed', reason: 'exhausted' } as const,
      result: { status: 500, durationMs: 1, error: null },
      backoffMs: 0,
      url: attempt.webhook.url,
    }));
    await deliveries.complete(ends, { disableAfterMs: 3_600_000 });
  }
  const request = { sinceMs: 0, limit: 500 };
  expect(await deliveries.redeliverFailed(REF, request)).toEqual({ count: 60, more: true });
  expect(await deliveries.redeliverFailed(REF, request)).toEqual({ count: 10, more: false });
});
