import { describe, expect, it } from 'vitest';
import { CLAIM, newMessage, newWebhook } from '../engine/webhooks/delivery-samples.test.support.ts';
import { DueNotifier } from '../engine/webhooks/due-notifier.ts';
import { memoryDeliveries } from './memory-deliveries.ts';
import { MemoryQueues } from './memory-queues.ts';
import { MemoryWebhooks } from './memory-webhooks.ts';

const REF = { accountId: 1, webhookId: 'w1' };

async function setUp(webhookIds = ['w1']) {
  const clock = { ms: 1_000_000, nowMs: () => clock.ms };
  const queues = new MemoryQueues(10);
  const notifier = new DueNotifier('memory-deliveries.test');
  const webhooks = new MemoryWebhooks(queues, notifier, clock);
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
    ['in the middle', { m1: 10_000, m2: 5, m3: 10_000 }, ['m1', 'm3']],
  ])(
    'are claimed around a message that expires %s, and so are later ones',
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
    expect([...queues.accounts]).toEqual([]);
  });

  it('lose the body of a message with the last of its webhooks, but still count it as published', async () => {
    const { queues, webhooks, deliveries, publish } = await setUp(['w1', 'w2']);
    await publish('m1', 10_000);
    const body = () => queues.account(1)?.messages.get('m1')?.body;
    await webhooks.remove(REF);
    expect(body()).toBe('{}');
    await webhooks.remove({ ...REF, webhookId: 'w2' });
    expect(body()).toBe('');
    expect((await deliveries.publish(newMessage('m1'))).outcome).toBe('duplicate');
  });
});
