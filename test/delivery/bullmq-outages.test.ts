import { setTimeout as elapsed } from 'node:timers/promises';
import { StorageUnavailableError } from '@latchhook/core/storage';
import { drained } from '@latchhook/testkit';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { untilAnswered } from '../support/storage/until-answered.ts';
import { within } from '../support/time/own-time.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { standStill } from '../support/time/stand-still.ts';
import { bullmqOn, deliveryScene, publisherOf, uniqueQueue } from './delivery-scene.ts';
import { spawnWorkerProcess } from './spawn-worker-process.ts';

describe('delivery by BullMQ, when something is unavailable', () => {
  it('sends what it publishes itself at once, though the queue is unavailable', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const queue = scene.start(bullmqOn(uniqueQueue(), { deadlineMs: 1_000 }, server.url));
    const ref = await scene.register(receiver.url);
    server.pause();
    await scene.publishMany(queue, ref, 20);
    await drained(scene.deliveries);
    expect(receiver.times()).toHaveLength(20);
    server.resume();
  });

  it('rejects within its deadline where Redis does not answer, and goes on when it does', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const sweep = { intervalMs: 500, graceMs: 200 };
    const name = uniqueQueue();
    const queue = scene.start(bullmqOn(name, { work: false, deadlineMs: 1_000 }, server.url));
    scene.start(bullmqOn(name, { sweep }, server.url));
    const ref = await scene.register(receiver.url);
    let published = 0;
    const publish = (): Promise<string> => {
      published += 1;
      return scene.publish(queue, ref);
    };
    await untilAnswered(publish);
    await receiver.untilDistinct(published);

    server.pause();
    const publishing = within(1_500, publish());
    await expect(publishing).rejects.toThrow(StorageUnavailableError);
    server.resume();
    await drained(scene.deliveries);
    expect(receiver.arrivals.size).toBe(published);
  });

  it('publishes again after a failover has silenced its connection', async () => {
    const [before, after] = await Promise.all([startRedisServer(), startRedisServer()]);
    onTestFinished(() => Promise.all([before.stop(), after.stop()]).then(() => {}));
    const proxy = await startTcpProxy(before.url);
    onTestFinished(() => proxy.stop());
    const scene = deliveryScene();
    const options = { work: false, deadlineMs: 1_000 };
    const queue = scene.start(bullmqOn(uniqueQueue(), options, proxy.url));
    const ref = await scene.register('http://127.0.0.1:9');
    await untilAnswered(() => scene.publish(queue, ref));
    proxy.redirect(after.url);
    before.pause();
    await expect(scene.publish(queue, ref)).rejects.toThrow(StorageUnavailableError);
    await untilAnswered(() => scene.publish(queue, ref));
  });

  it('accepts what Redis answered while the process stood still', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const scene = deliveryScene();
    const name = uniqueQueue();
    const queue = scene.start(bullmqOn(name, { work: false, deadlineMs: 1_500 }, server.url));
    const ref = await scene.register('http://127.0.0.1:9');
    await untilAnswered(() => scene.publish(queue, ref));
    server.pause();
    const publishing = scene.publish(queue, ref);
    await elapsed(50);
    // After this turn of the loop, timers run before answers are read.
    await new Promise(setImmediate);
    server.resume();
    standStill(2_000);
    expect(await publishing).toMatch(/^msg_/);
  });

  it.each([
    ['restarted empty', (server: RedisServer) => server.restart()],
    ['emptied', (server: RedisServer) => command(server, 'FLUSHALL')],
  ])('sends what is in the store after Redis was %s', async (_what, disturb) => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const sweep = { intervalMs: 500, graceMs: 200 };
    const queue = scene.start(bullmqOn(uniqueQueue(), { sweep }, server.url));
    const ref = await scene.register(receiver.url, { rateLimit: 100 });
    await scene.publishMany(queue, ref, 300);
    await receiver.untilDistinct(50);
    await disturb(server);
    await drained(scene.deliveries);
    expect(receiver.arrivals.size).toBe(300);
    await scene.publish(queue, ref);
    await receiver.untilDistinct(301);
  });

  it('goes on after the script cache was lost', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const queue = scene.start(bullmqOn(uniqueQueue(), {}, server.url));
    const ref = await scene.register(receiver.url);
    for (let round = 1; round <= 3; round += 1) {
      await scene.publishMany(queue, ref, 20);
      await receiver.untilDistinct(20 * round);
      await command(server, 'SCRIPT', 'FLUSH');
    }
    expect(scene.events).toEqual([]);
  });

  it('floods neither a Redis that refuses to write, nor the listeners of events', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const scene = deliveryScene({ leaseMs: 7_000 });
    const receiver = await startCountingReceiver({ answerAfterMs: 50 });
    const name = uniqueQueue();
    const queue = publisherOf(scene, name, server.url);
    scene.start(bullmqOn(name, { concurrency: 2 }, server.url));
    const ref = await scene.register(receiver.url);
    await scene.publishMany(queue, ref, 50);
    await receiver.untilDistinct(10);

    // As after a failover: it answers, but is a replica now.
    await command(server, 'REPLICAOF', '127.0.0.1', '1');
    await expect(scene.publish(queue, ref)).rejects.toThrow(StorageUnavailableError);
    const before = await scriptCalls(server);
    await elapsed(2_000);
    expect((await scriptCalls(server)) - before).toBeLessThan(50);
    expect(scene.events.length).toBeLessThan(10);

    await command(server, 'REPLICAOF', 'NO', 'ONE');
    await receiver.untilDistinct(50);
  });

  it('leaves the queue alone while the store is unavailable, whatever waits there', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const name = uniqueQueue();
    const queue = publisherOf(scene, name, server.url);
    const ref = await scene.register(receiver.url);
    await scene.publishMany(queue, ref, 200);
    const start = vi.spyOn(scene.deliveries, 'start');
    start.mockRejectedValue(new StorageUnavailableError('unavailable'));
    scene.start(bullmqOn(name, { concurrency: 10 }, server.url));
    await expect.poll(() => start.mock.calls.length, { timeout: PATIENT_MS }).toBeGreaterThan(9);
    const before = await scriptCalls(server);
    await elapsed(2_000);
    expect((await scriptCalls(server)) - before).toBeLessThan(20);

    start.mockRestore();
    await drained(scene.deliveries);
    expect(receiver.arrivals.size).toBe(200);
  });

  it('leaves the queue alone while the store is unavailable, whatever waits in the process', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const scene = deliveryScene({ maxInFlightPerWebhook: 10 });
    const receiver = await startCountingReceiver();
    const start = vi.spyOn(scene.deliveries, 'start');
    start.mockRejectedValue(new StorageUnavailableError('unavailable'));
    const queue = scene.start(bullmqOn(uniqueQueue(), {}, server.url));
    await scene.publishMany(queue, await scene.register(receiver.url), 200);
    await expect.poll(() => start.mock.calls.length, { timeout: PATIENT_MS }).toBe(10);
    const before = await scriptCalls(server);
    await elapsed(2_000);
    expect(start.mock.calls.length).toBeLessThanOrEqual(20);
    // After some seconds the line holds nothing back any more.
    const asked = () => new Set(start.mock.calls.map(([{ deliveryId }]) => deliveryId)).size;
    await expect.poll(asked).toBe(200);
    await elapsed(2_000);
    expect((await scriptCalls(server)) - before).toBeLessThan(20);

    start.mockRestore();
    await drained(scene.deliveries);
    expect(receiver.arrivals.size).toBe(200);
  });

  it('takes over from a process that was killed, within its lease and a few seconds', async () => {
    const scene = deliveryScene({ leaseMs: 7_000 });
    const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
    const name = uniqueQueue();
    const ref = await scene.register(receiver.url);
    const worker = await spawnWorkerProcess(scene, name);
    const queue = scene.start(bullmqOn(name, { work: false }));
    await scene.publishMany(queue, ref, 30);
    await receiver.untilDistinct(30);
    await worker.kill9();
    receiver.answer();
    scene.start(bullmqOn(name, { sweep: {} }));
    await within(7_000 + 4_000, drained(scene.deliveries));
    expect(receiver.times()).toHaveLength(60);
  });
});

async function command(server: RedisServer, name: string, ...args: string[]): Promise<unknown> {
  const redis = new Redis(server.url);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

async function scriptCalls(server: RedisServer): Promise<number> {
  const info = String(await command(server, 'INFO', 'commandstats'));
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
}
