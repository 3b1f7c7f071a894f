import { describe, expect, it } from 'vitest';
import { DueNotifier } from '../due-notifier.ts';
import { CLAIM, newMessage, newWebhook } from '../engine/webhooks/delivery-samples.test.support.ts';
import { memoryDeliveries } from './memory-deliveries.ts';
import { MemoryQueues } from './memory-queues.ts';
import { memoryWebhooks } from './memory-webhooks.ts';

const REF = { accountId: 1, webhookId: 'w1' };

async function setUp(webhookIds = ['w1']) {
  const clock = { ms: 1_000_000, nowMs: () => clock.ms };
  const queues = new MemoryQueues(10);
  const notifier = new DueNotifier('memory-deliveries.test');
  const webhooks = memoryWebhooks(queues, notifier, clock);
  const deliveries = memoryDeliveries(queues, notifier, { clock, wallClock: clock });
  for (const webhookId of webhookIds)
    await webhooks.create(newWebhook(webhookId), { maxPerAccount: 2 });
  const publish = (messageId: string, retentionMs: number) =>
    deliveries.publish({ ...newMessage(messageId), retentionMs });
  const claim = async (limit: number) => {
    const { attempts } = await deliveries.claim({ ...CLAIM, limit });
    return attempts.map(({ deliveryId }) => deliveryId);
  };
  return { clock, queues, webhooks, deliveries, publish, claim };
}

describe('deliveries in memory', () => {
  it.each([
    ['first', { m1: 5, m2: 10_000 }, ['m2']],
    ['last', { m1: 10_000, m2: 5 }, ['m1']],
    ['middle', { m1: 10_000, m2: 5, m3: 10_000 }, ['m1', 'm3']],
  ])(
    'are claimed after the %s of them has expired, as is one that is published afterwards',
    async (_, messages, left) => {
      const { clock, deliveries, publish, claim } = await setUp();
      for (const [messageId, retentionMs] of Object.entries(messages))
        await publish(messageId, retentionMs);
      clock.ms += 5;
      for (const messageId of left) expect(await claim(1)).toEqual([messageId]);
      expect(await claim(1)).toEqual([]);
      expect((await deliveries.stats()).pending).toBe(left.length);
      await publish('later', 10_000);
      expect(await claim(1)).toEqual(['later']);
    },
  );

  it('leave nothing of an account whose webhooks are removed and whose messages have expired', async () => {
    const { clock, queues, webhooks, deliveries, publish, claim } = await setUp();
    await publish('m1', 5);
    await deliveries.publish({ ...newMessage('m2'), idempotencyKey: 'k', idempotencyMs: 9 });
    expect(await claim(2)).toHaveLength(2);
    await webhooks.remove(REF);
    expect(await deliveries.claim(CLAIM)).toEqual({ attempts: [], poisoned: [], nextInMs: null });
    clock.ms += 1e9;
    await deliveries.stats();
    expect(queues.accounts.size).toBe(0);
  });

  it('lose the body of a message with the last of its webhooks, but still count it as published', async () => {
    const { queues, webhooks, deliveries, publish } = await setUp(['w1', 'w2']);
    await publish('m1', 10_000);
    const body = () => queues.accounts.find(1)?.messages.get('m1')?.body;
    await webhooks.remove(REF);
    expect(body()).toBe('{}');
    await webhooks.remove({ ...REF, webhookId: 'w2' });
    expect(body()).toBe('');
    expect((await deliveries.publish(newMessage('m1'))).outcome).toBe('duplicate');
  });

  it('are not due any more once they have expired', async () => {
    const { clock, deliveries, publish } = await setUp();
    await publish('m1', 5);
    clock.ms += 5;
    expect(await deliveries.stats()).toEqual({ pending: 0, oldestDueAgeMs: 0 });
    expect(await deliveries.claim(CLAIM)).toEqual({ attempts: [], poisoned: [], nextInMs: null });
  });

  it('stay leased if their completion throws, while the rest of the call is completed', async () => {
    const { clock, deliveries, publish, claim } = await setUp();
    await publish('m1', 1e6);
    await publish('m2', 1e6);
    const { attempts } = await deliveries.claim(CLAIM);
    const outcomes = [{ kind: 'delivered' }, { kind: 'misspelt' as 'delivered' }] as const;
    const ends = attempts.map((attempt, nth) => ({
      ...attempt,
      outcome: outcomes[nth] ?? outcomes[0],
      result: { status: 200, durationMs: 1, error: null },
      url: attempt.webhook.url,
      backoffMs: 0,
    }));
    const complete = (from: number) => deliveries.complete(ends.slice(from), { disableAfterMs: 1 });
    expect((await complete(0)).map(({ outcome }) => outcome)).toEqual(['completed', 'unavailable']);
    await expect(complete(1)).rejects.toThrow(TypeError);
    clock.ms += CLAIM.leaseMs;
    expect(await claim(2)).toEqual(['m2']);
  });

  it('of an account at its limit delay no other account, and are claimed once one of its attempts has ended', async () => {
    const { webhooks, deliveries, publish } = await setUp(['w1', 'w2']);
    for (let i = 0; i < 3; i += 1) await publish(`m${i}`, 1e6);
    await webhooks.create({ ...newWebhook('w3'), accountId: 2 }, { maxPerAccount: 1 });
    const capped = { ...CLAIM, maxInFlightPerAccount: 1 };
    const first = await deliveries.claim(capped);
    expect(first.attempts).toHaveLength(1);
    // The end of the lease is next, though five deliveries of the account wait.
    expect(first.nextInMs).toBe(CLAIM.leaseMs);
    await deliveries.publish({ ...newMessage('other'), accountId: 2 });
    const { attempts } = await deliveries.claim({ ...capped, limit: 1 });
    expect(attempts.map(({ deliveryId }) => deliveryId)).toEqual(['other']);
    const [attempt] = first.attempts;
    if (attempt === undefined) throw new Error('nothing was claimed');
    await deliveries.complete([{ ...attempt, outcome: { kind: 'not_started' } }], {
      disableAfterMs: 1,
    });
    expect((await deliveries.claim(capped)).attempts).toHaveLength(1);
  });
});
