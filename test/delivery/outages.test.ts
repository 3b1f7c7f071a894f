import { setTimeout as elapsed } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { spawnDeliveryWorker } from '../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { untilDrained } from '../support/deliveries/until-drained.ts';
import { onServedStores, openRedis, type ServedStore } from './open-stores.ts';
import { publishMany, replacing, startWorker } from './start-worker.ts';

const OUTAGE_MS = 4_000;
/** Calls during the outage: pauses grow from an eighth of a second to a second, and some calls were pending. */
const MOST_CALLS = 12;
/** The time for a reconnect of store and client, and for the next poll, ms. */
const BACK_MS = 10_000;
/** The limit of attempts in flight per webhook. */
const IN_FLIGHT = 10;

const FAULTS = [
  ['connections are rejected', 'reject'],
  ['nothing arrives', 'blackhole'],
  ['replies are lost', 'dropReplies'],
] as const;

/** A publisher on a network without faults, and a worker on a network with faults. */
async function openFixture(store: ServedStore, { answerAfterMs = 0 } = {}) {
  const receiver = await startCountingReceiver({ answerAfterMs });
  const publisher = await startPublisherOn(store.connect());
  await publisher.register(1, { url: receiver.url, rate_limit: 10_000 });
  const { network, connect } = await store.disturbed();
  let calls = 0;
  const counted = replacing(connect(), (deliveries) => ({
    claim(request) {
      calls += 1;
      return deliveries.claim(request);
    },
  }));
  const worker = startWorker(counted, publisher);
  const callsIn = async (ms: number) => {
    const before = calls;
    await elapsed(ms);
    return calls - before;
  };
  return { receiver, publisher, network, worker, callsIn };
}

describe('a worker whose store is unreachable for seconds', () => {
  onServedStores((open) => {
    it.each(FAULTS)('polls seldom while idle, and recovers by itself, if %s', async (_, fault) => {
      const { receiver, publisher, network, worker, callsIn } = await openFixture(await open());
      await publisher.publish(1, 0);
      await receiver.untilDistinct(1);
      await network[fault]();
      expect(await callsIn(OUTAGE_MS)).toBeLessThanOrEqual(MOST_CALLS);
      expect(worker.events.length).toBeLessThan(10);
      // Other processes publish during the outage.
      await publishMany(publisher, 1, 20);
      await network.pass();
      await receiver.untilDistinct(21, BACK_MS);
      await untilDrained(publisher.deliveries);
      expect(receiver.arrivals.size).toBe(21);
    });

    it.each(FAULTS)(
      'loses no delivery under load, and repeats at most the attempts in flight, if %s',
      async (_, fault) => {
        const answerAfterMs = 50;
        const { receiver, publisher, network, callsIn } = await openFixture(await open(), {
          answerAfterMs,
        });
        const ids = await publishMany(publisher, 1, 300);
        await receiver.untilDistinct(50);
        await network[fault]();
        expect(await callsIn(OUTAGE_MS)).toBeLessThanOrEqual(MOST_CALLS);
        await network.pass();
        await untilDrained(publisher.deliveries);
        expect([...receiver.arrivals.keys()].toSorted()).toEqual(ids.toSorted());
        const repeated = [...receiver.arrivals.values()].filter(({ length }) => length > 1);
        expect(repeated.every(({ length }) => length === 2)).toBe(true);
        // Only attempts whose end was not recorded may be repeated.
        expect(repeated.length).toBeLessThanOrEqual(IN_FLIGHT);
      },
    );
  });
});

describe('a worker', () => {
  onServedStores((open) => {
    it('takes over the deliveries of a killed process within seconds of the end of their leases', async () => {
      const store = await open();
      const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
      const publisher = await startPublisherOn(store.connect());
      await publisher.register(1, { url: receiver.url, rate_limit: 10_000 });
      const { encryptionKey } = publisher;
      const worker = await spawnDeliveryWorker({ ...store.environment, encryptionKey });
      await publishMany(publisher, 1, IN_FLIGHT);
      await receiver.untilArrivals(IN_FLIGHT);
      await worker.kill9();
      receiver.answer();
      startWorker(store.connect(), publisher);
      await receiver.untilArrivals(2 * IN_FLIGHT, 20_000 + 4_000);
      await untilDrained(publisher.deliveries);
      expect(receiver.times()).toHaveLength(2 * IN_FLIGHT);
    });
  });
});

describe('a worker on Redis', () => {
  it('sends deliveries after the script cache was flushed', async () => {
    const { url, publisher, receiver, worker } = await openRedisFixture();
    for (let round = 1; round <= 3; round += 1) {
      await publishMany(publisher, 1, 20);
      await receiver.untilDistinct(20 * round);
      await command(url, 'SCRIPT', 'FLUSH');
    }
    expect(worker.events).toEqual([]);
  });

  it('sends few commands and few events to a Redis that has become a replica', async () => {
    const { url, publisher, receiver, worker } = await openRedisFixture({ answerAfterMs: 50 });
    await publishMany(publisher, 1, 50);
    await receiver.untilDistinct(10);
    // After this, the server replies but is a replica, as after a failover.
    await command(url, 'REPLICAOF', '127.0.0.1', '1');
    const before = await scriptCalls(url);
    await elapsed(2_000);
    expect((await scriptCalls(url)) - before).toBeLessThan(50);
    expect(worker.events.length).toBeLessThan(10);
    await command(url, 'REPLICAOF', 'NO', 'ONE');
    await receiver.untilDistinct(50);
  });
});

async function openRedisFixture(options: { readonly answerAfterMs?: number } = {}) {
  const store = await openRedis();
  return { url: store.environment.redisUrl ?? '', ...(await openFixture(store, options)) };
}

async function command(url: string, name: string, ...args: string[]): Promise<unknown> {
  const redis = new Redis(url);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

async function scriptCalls(url: string): Promise<number> {
  const info = String(await command(url, 'INFO', 'commandstats'));
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
}
