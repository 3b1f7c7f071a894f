import { redisStorage } from '@latchhook/redis';
import { describe, expect, inject, it } from 'vitest';
import { connect, connectCluster, uniquePrefix } from '../support/storage/connect-redis.ts';
import {
  DELIVERED,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  starting,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const servers = [
  { name: 'one Redis', isThere: true, connectOnce: () => connect() },
  {
    name: 'a Redis Cluster',
    isThere: inject('redisClusterNodes').length > 0,
    connectOnce: () => connectCluster(),
  },
];

describe.each(servers)('four processes on $name', ({ isThere, connectOnce }) => {
  function openFour() {
    const keyPrefix = uniquePrefix();
    const open = () =>
      withWebhooks(redisStorage(connectOnce(), { keyPrefix, deadlineMs: PATIENT_MS }));
    return [open(), open(), open(), open()] as const;
  }

  it.skipIf(!isThere)('publish once under one key', async () => {
    const stores = openFour();
    await stores[0].webhooks.create(newWebhook('wh_1'), LIMITS);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, nth) =>
        stores[nth % 4]?.deliveries.publish(newMessage(`m${nth}`, { idempotencyKey: 'k' })),
      ),
    );
    const ids = answers.map(
      (answer) => answer !== undefined && 'messageId' in answer && answer.messageId,
    );
    expect(new Set(ids).size).toBe(1);
    expect(answers.filter((answer) => answer?.outcome === 'published')).toHaveLength(1);
    expect(await stores[0].deliveries.countPending()).toBe(1);
  });

  it.skipIf(!isThere)('start exactly what the rate allows in any window, in order', async () => {
    const stores = openFour();
    const total = 60;
    const rateLimit = 20;
    await stores[0].webhooks.create(newWebhook('wh_1', { rateLimit }), LIMITS);
    const ids = Array.from({ length: total }, (_, nth) => `m${nth}`);
    for (const id of ids) await stores[0].deliveries.publish(newMessage(id));

    const starts: number[] = [];
    let calls = 0;
    const send = async (id: string, nth: number) => {
      for (;;) {
        // Through another process each time, as an engine may.
        const store = stores[(nth + calls) % 4]?.deliveries;
        calls += 1;
        const answer = await store?.start(starting(deliveryTo('wh_1', id)));
        if (answer?.outcome === 'started') {
          starts.push(answer.startedAtMs);
          await store?.finish(finishing(deliveryTo('wh_1', id), answer.attempt, DELIVERED));
          return;
        }
        const delayMs = answer?.outcome === 'deferred' ? answer.delayMs : 0;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    };
    await Promise.all(ids.map(send));

    expect(starts).toHaveLength(total);
    starts.sort((a, b) => a - b);
    const tooSoon = starts.filter((ms, nth) => ms - (starts[nth - rateLimit] ?? 0) < 1000);
    expect(tooSoon).toEqual([]);
    const list = await stores[0].deliveries.list(newWebhook('wh_1'), { limit: 100, after: null });
    const startedAt = list?.map(({ attempts }) => attempts[0]?.startedAtMs ?? 0).reverse() ?? [];
    const inversions = startedAt.filter((ms, nth) => ms < (startedAt[nth - rateLimit] ?? 0));
    expect(inversions).toEqual([]);
    // Each asks once, is answered when to, and comes back; a few times at most, as timers may fire early.
    expect(calls).toBeLessThan(total * 4);
  });

  it.skipIf(!isThere)('hold one attempt of a delivery at a time', async () => {
    const stores = openFour();
    await stores[0].webhooks.create(newWebhook('wh_1'), LIMITS);
    await stores[0].deliveries.publish(newMessage('m1'));
    const ask = () =>
      stores.map(({ deliveries }) => deliveries.start(starting(deliveryTo('wh_1', 'm1'))));
    const answers = await Promise.all(Array.from({ length: 10 }, ask).flat());
    expect(answers.filter(({ outcome }) => outcome === 'started')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'deferred')).toHaveLength(39);
  });
});
