import { setTimeout as elapsed } from 'node:timers/promises';
import type { SendingOptions } from '@latchhook/delivery';
import { type RedisClient, redisStorage } from '@latchhook/redis';
import { virtualTime } from '@latchhook/testkit';
import { describe, expect, inject, it } from 'vitest';
import { startPublisherOn } from '../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { untilDrained } from '../support/deliveries/until-drained.ts';
import {
  connect,
  connectCluster,
  type HostClusterOptions,
  uniquePrefix,
} from '../support/storage/connect-redis.ts';
import { publishMany, startWorker } from './start-worker.ts';

/** A publisher and a worker on clients of the host, with a receiver. */
async function openFixture(open: () => RedisClient, sending?: SendingOptions) {
  const keyPrefix = uniquePrefix();
  const receiver = await startCountingReceiver();
  const publisher = await startPublisherOn(redisStorage(open(), { keyPrefix }));
  await publisher.register(1, { url: receiver.url, rate_limit: 100 });
  const worker = startWorker(redisStorage(open(), { keyPrefix }), publisher, sending);
  return { receiver, publisher, worker };
}

describe('a worker on a Redis client of the host', () => {
  it('sends deliveries with client timeouts, a key prefix and numbers as strings', async () => {
    const { receiver, publisher, worker } = await openFixture(() =>
      connect(inject('redisUrl'), {
        maxRetriesPerRequest: 1,
        commandTimeout: 600,
        socketTimeout: 600,
        keyPrefix: 'theirs:',
        stringNumbers: true,
      }),
    );
    await publisher.publish(1, 0);
    await receiver.untilDistinct(1);
    // Longer than both timeouts, which the subscription to notifications must survive.
    await elapsed(1_000);
    await publisher.publish(1, 1);
    await receiver.untilDistinct(2);
    await untilDrained(publisher.deliveries);
    expect(receiver.times()).toHaveLength(2);
    expect(worker.events).toEqual([]);
  });

  it('is notified even if the client has a key prefix', async () => {
    const time = virtualTime();
    const { receiver, publisher } = await openFixture(
      () => connect(inject('redisUrl'), { keyPrefix: 'theirs:' }),
      { timers: time.timers },
    );
    await publisher.publish(1, 0);
    await expect.poll(() => time.advance(1_000).then(() => receiver.arrivals.size)).toBe(1);
    // The clock is frozen from here on, so no poll is due.
    for (let i = 1; i <= 5; i += 1) {
      await publisher.publish(1, i);
      await receiver.untilDistinct(i + 1);
    }
  });
});

describe.skipIf(inject('redisClusterNodes').length === 0)(
  'a worker on a Redis Cluster client of the host',
  () => {
    it.each<[options: string, HostClusterOptions]>([
      ['the default options', {}],
      ['a key prefix', { keyPrefix: 'theirs:' }],
      ['a key prefix in redisOptions', { redisOptions: { keyPrefix: 'theirs:' } }],
    ])('sends each delivery once with %s', async (_, options) => {
      const { receiver, publisher, worker } = await openFixture(() => connectCluster(options));
      await publishMany(publisher, 1, 150);
      await untilDrained(publisher.deliveries);
      expect(receiver.arrivals.size).toBe(150);
      expect(receiver.times()).toHaveLength(150);
      expect(worker.events).toEqual([]);
    });
  },
);
