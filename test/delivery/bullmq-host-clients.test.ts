import { setTimeout as elapsed } from 'node:timers/promises';
import { drained } from '@latchhook/testkit';
import { describe, expect, inject, it } from 'vitest';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import {
  connect,
  connectCluster,
  type HostClusterOptions,
} from '../support/storage/connect-redis.ts';
import { bullmqOn, dashboard, deliveryScene, uniqueQueue } from './delivery-scene.ts';

describe('delivery by BullMQ, on the client of a host', () => {
  it.skipIf(inject('redisClusterNodes').length === 0)('works on a Redis Cluster', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const queue = scene.start(bullmqOn(uniqueQueue(), { connection: connectCluster() }));
    const ref = await scene.register(receiver.url, { rateLimit: 100 });
    await scene.publishMany(queue, ref, 150);
    await drained(scene.deliveries);
    expect(receiver.times()).toHaveLength(150);
    expect(scene.events).toEqual([]);
  });

  it("works with whatever options the host's client has", async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const connection = connect(inject('redisUrl'), {
      maxRetriesPerRequest: 1,
      commandTimeout: 200,
      socketTimeout: 200,
      keyPrefix: 'theirs:',
      enableOfflineQueue: false,
      stringNumbers: true,
    });
    const queue = scene.start(bullmqOn(uniqueQueue(), { connection }));
    const ref = await scene.register(receiver.url);
    await scene.publish(queue, ref);
    await receiver.untilDistinct(1);
    // Longer than both timeouts, so that a blocking call must have outlived them.
    await elapsed(1_000);
    await scene.publish(queue, ref);
    await receiver.untilDistinct(2);
    expect(scene.events).toEqual([]);
  });

  it
    .skipIf(inject('redisClusterNodes').length === 0)
    .each<HostClusterOptions>([
      { keyPrefix: 'theirs:' },
      { redisOptions: { keyPrefix: 'theirs:' } },
      { enableOfflineQueue: false },
    ])("works with whatever options the host's Cluster has: %o", async (options) => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const connection = connectCluster(options);
    const name = uniqueQueue();
    const publisher = scene.start(bullmqOn(name, { connection, work: false }));
    scene.start(bullmqOn(name, { connection }));
    await scene.publish(publisher, await scene.register(receiver.url));
    await receiver.untilDistinct(1);
    expect(scene.events).toEqual([]);
  });

  it.each([
    ['theirs:', '{theirs:latchhook}'],
    ['{theirs}:', '{theirs}:latchhook'],
  ])('keeps to itself what a host with the prefix %s publishes', async (keyPrefix, prefix) => {
    const scene = deliveryScene();
    const name = uniqueQueue();
    const connection = connect(inject('redisUrl'), { keyPrefix });
    const queue = scene.start(bullmqOn(name, { connection, work: false }));
    await scene.publish(queue, await scene.register('http://127.0.0.1:9/'));
    expect(await dashboard(name).getWaitingCount()).toBe(0);
    expect(await dashboard(name, prefix).getWaitingCount()).toBe(1);
  });

  it('leaves no connection open where the queue could not be opened', async () => {
    const scene = deliveryScene();
    // BullMQ refuses a key prefix.
    const duplicate = connect(inject('redisUrl'), { keyPrefix: 'theirs:' });
    const connection = Object.assign(connect(), { duplicate: () => duplicate });
    const queue = scene.start(bullmqOn(uniqueQueue(), { connection }));
    await expect.poll(() => scene.events).toMatchObject([{ type: 'fault', where: 'delivery' }]);
    await queue.close();
    await expect.poll(() => duplicate.status).toBe('end');
  });
});
