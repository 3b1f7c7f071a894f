import { randomBytes } from 'node:crypto';
import { setTimeout as elapsed } from 'node:timers/promises';
import { drained } from '@latchhook/testkit';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { spawnDeliveryWorker } from '../support/apps/spawn-delivery-worker.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { connect } from '../support/storage/connect-redis.ts';
import { within } from '../support/time/own-time.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import {
  bullmqOn,
  dashboard,
  deliveryScene,
  methodsOf,
  publisherOf,
  uniqueQueue,
} from './delivery-scene.ts';

describe('delivery by BullMQ, when it closes', () => {
  it('lets attempts in flight end when it closes, and leaves the rest to others', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
    const name = uniqueQueue();
    const worker = scene.start(bullmqOn(name, { concurrency: 20 }));
    const ref = await scene.register(receiver.url);
    const publisher = publisherOf(scene, name);
    await scene.publishMany(publisher, ref, 60);
    // The share of one account.
    await expect.poll(() => receiver.times().length).toBe(10);
    const closed = worker.close();
    receiver.answer();
    await closed;
    expect(receiver.times()).toHaveLength(10);
    expect(await scene.deliveries.countPending()).toBe(50);
    scene.start(bullmqOn(name));
    await drained(scene.deliveries);
    expect(receiver.times()).toHaveLength(60);
  });

  it('begins nothing more once it closes, even while it still waits for the store', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
    const name = uniqueQueue();
    let letGo = (): void => {};
    const sweeping = new Promise<[]>((resolve) => {
      letGo = () => resolve([]);
    });
    const deliveries = { ...methodsOf(scene.deliveries), overdue: () => sweeping };
    const worker = bullmqOn(name, { concurrency: 20, sweep: { intervalMs: 1 } });
    const queue = worker.connect({ ...scene.context, deliveries });
    onTestFinished(() => queue.close());
    const ref = await scene.register(receiver.url);
    await scene.publishMany(queue, ref, 20);
    await expect.poll(() => receiver.times().length).toBe(10);
    const closed = queue.close();
    receiver.answer();
    await expect.poll(() => scene.deliveries.countPending()).toBeLessThanOrEqual(10);
    letGo();
    await closed;
    expect(receiver.times()).toHaveLength(10);
  });

  it('lets its own deliveries end too, and leaves those that wait for room to others', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
    const name = uniqueQueue();
    const queue = scene.start(bullmqOn(name, { concurrency: 5 }));
    const ref = await scene.register(receiver.url);
    await scene.publishMany(queue, ref, 15);
    await expect.poll(() => receiver.times().length).toBe(5);
    const closed = queue.close();
    receiver.answer();
    await closed;
    expect(receiver.times()).toHaveLength(5);
    expect(await scene.deliveries.countPending()).toBe(10);
    expect(await dashboard(name).getJobCountByTypes('waiting', 'delayed')).toBe(10);
    scene.start(bullmqOn(name));
    await drained(scene.deliveries);
    expect(receiver.times()).toHaveLength(15);
  });

  it('leaves no connection behind where Redis has fallen silent', async () => {
    const scene = deliveryScene({ leaseMs: 6_000 });
    const proxy = await startTcpProxy(inject('redisUrl'));
    onTestFinished(() => proxy.stop());
    const connection = connect(proxy.url);
    const queue = bullmqOn(uniqueQueue(), { connection }).connect(scene.context);
    const receiver = await startCountingReceiver();
    await scene.publishMany(queue, await scene.register(receiver.url, { rateLimit: 5 }), 30);
    await receiver.untilDistinct(10);
    await proxy.blackhole();
    // The calls that the worker makes now are pending when it closes.
    await elapsed(500);
    connection.disconnect();
    await queue.close();
    await expect.poll(() => proxy.openConnections()).toBe(0);
  });

  it('does not keep the process alive once it has closed', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const encryptionKey = randomBytes(32);
    const worker = await spawnDeliveryWorker({ redisUrl: server.url, encryptionKey });
    const redis = connect(server.url);
    const blocked = async () => /^blocked_clients:(\d+)/m.exec(await redis.info('clients'))?.[1];
    await expect.poll(blocked, { timeout: PATIENT_MS }).toBe('1');
    worker.signal('SIGTERM');
    await within(1_500, worker.exited());
    expect(worker.child.exitCode).toBe(0);
  });

  it.each(['has never been available', 'has been unavailable for long'])(
    'closes without waiting for a Redis that %s',
    async (since) => {
      const scene = deliveryScene({ leaseMs: 3_600_000 });
      const server = await startRedisServer();
      onTestFinished(() => server.stop());
      const open = () => bullmqOn(uniqueQueue(), {}, server.url).connect(scene.context);
      let queue = open();
      const ref = await scene.register('http://127.0.0.1:9/');
      if (since === 'has been unavailable for long') {
        await queue.reschedule([{ ...ref, deliveryId: 'msg_1', run: 1, delayMs: 0 }]);
        await server.kill9();
        // Until the pauses between its clients' tries are as long as they get.
        await elapsed(4_000);
      } else {
        await queue.close();
        await server.kill9();
        queue = open();
      }
      // Twice the longest pause between two tries to connect, of which the last is waited for.
      await within(4_000, queue.close());
    },
  );
});
