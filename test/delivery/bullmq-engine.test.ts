import { drained, startFakeReceiver } from '@latchhook/testkit';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { watchRedis } from '../support/servers/watch-redis.ts';
import { bullmqOn, dashboard, deliveryScene, publisherOf, uniqueQueue } from './delivery-scene.ts';

describe('delivery by BullMQ', () => {
  it('delivers a thousand over two workers, each once', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const name = uniqueQueue();
    const queue = scene.start(bullmqOn(name));
    scene.start(bullmqOn(name));
    const ref = await scene.register(receiver.url);
    await scene.publishMany(queue, ref, 1_000);
    await drained(scene.deliveries);
    expect(receiver.arrivals.size).toBe(1_000);
    expect(receiver.times()).toHaveLength(1_000);
    expect(scene.events).toEqual([]);
    await expect
      .poll(() => dashboard(name).getJobCounts('active', 'completed', 'failed'))
      .toEqual({
        active: 0,
        completed: 0,
        failed: 0,
      });
  });

  it('publishes without sending where it does not work', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const name = uniqueQueue();
    const queue = scene.start(bullmqOn(name, { work: false }));
    await scene.publish(queue, await scene.register(receiver.url));
    expect(await dashboard(name).getWaitingCount()).toBe(1);
    expect(receiver.times()).toEqual([]);
    scene.start(bullmqOn(name));
    await receiver.untilDistinct(1);
  });

  it('puts the ids of the delivery into the job, and nothing else', async () => {
    const scene = deliveryScene();
    const name = uniqueQueue();
    const queue = scene.start(bullmqOn(name, { work: false }));
    const ref = await scene.register('http://127.0.0.1:9/secret-path');
    const deliveryId = await scene.publish(queue, ref);
    const [job] = await dashboard(name).getWaiting();
    expect(job?.data).toEqual({ ...ref, deliveryId, run: 1 });
  });

  it('shows a failed attempt as one, and waits for the next', async () => {
    const scene = deliveryScene();
    // After the end of the test, so that no further attempt is made.
    const busy = { status: 503, headers: { 'retry-after': '3600' } };
    const receiver = await startFakeReceiver({ answers: [busy, 200] });
    onTestFinished(() => receiver.close());
    const name = uniqueQueue();
    const queue = publisherOf(scene, name);
    scene.start(bullmqOn(name));
    const ref = await scene.register(receiver.url);
    const deliveryId = await scene.publish(queue, ref);
    const board = dashboard(name);
    await expect.poll(() => board.getDelayedCount()).toBe(1);
    const [job] = await board.getDelayed();
    expect(job).toMatchObject({ attemptsMade: 1, failedReason: 'status 503' });
    expect(job?.delay).toBeGreaterThan(3_000_000);
    expect((await scene.deliveries.find({ ...ref, deliveryId }))?.state).toBe('waiting');

    await queue.reschedule([{ ...ref, deliveryId, run: 1, delayMs: 0 }]);
    // Brought forward only in the queue: the store decides, and puts it back.
    await expect.poll(() => board.getDelayedCount()).toBe(1);
    expect(receiver.received()).toHaveLength(1);
  });

  it('asks the queue nothing about what waits in its own process', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
    const queue = scene.start(bullmqOn(uniqueQueue(), { concurrency: 1 }));
    const ref = await scene.register(receiver.url);
    const begun = await scene.publish(queue, ref);
    const waiting = await scene.publish(queue, ref);
    await receiver.untilDistinct(1);
    const watched = await watchRedis(inject('redisUrl'));
    const ids = [begun, waiting];
    await queue.reschedule(ids.map((deliveryId) => ({ ...ref, deliveryId, run: 1, delayMs: 0 })));
    const words = (await watched()).flatMap((command) => command.words);
    // The running delivery may be about to be put back into the queue, so the queue is asked about that one.
    expect(ids.map((id) => words.some((word) => word.includes(id)))).toEqual([true, false]);
    receiver.answer();
    await drained(scene.deliveries);
  });

  it('puts a delivery back for as long as it has to wait, though its job is delayed for longer', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const name = uniqueQueue();
    const queue = scene.start(bullmqOn(name));
    const ref = await scene.register(receiver.url, { rateLimit: 1, rateLimitPeriod: 'minute' });
    await scene.publish(queue, ref);
    await receiver.untilDistinct(1);
    const deliveryId = await scene.publish(queue, ref);
    const board = dashboard(name);
    const [job] = await board.getDelayed();
    await job?.changeDelay(3_600_000);
    await queue.enqueue([{ ...ref, deliveryId, run: 1, delayMs: 0 }]);
    await expect.poll(async () => (await board.getDelayed())[0]?.delay).toBeLessThan(61_000);
  });

  it('keeps dead deliveries as failed jobs, with the reason', async () => {
    const scene = deliveryScene();
    const receiver = await startFakeReceiver({ answers: 410 });
    onTestFinished(() => receiver.close());
    const name = uniqueQueue();
    const queue = publisherOf(scene, name);
    scene.start(bullmqOn(name));
    const ref = await scene.register(receiver.url);
    await scene.publish(queue, ref);
    const board = dashboard(name);
    await expect.poll(() => board.getFailedCount()).toBe(1);
    expect((await board.getFailed())[0]?.failedReason).toBe('gone');
    expect(scene.events.map(({ type }) => type)).toEqual(['webhook.disabled', 'delivery.dead']);
  });

  it('sends held deliveries once their webhook is enabled, under the same job id', async () => {
    const scene = deliveryScene();
    const receiver = await startFakeReceiver({ answers: [410, 200] });
    onTestFinished(() => receiver.close());
    const name = uniqueQueue();
    const queue = scene.start(bullmqOn(name));
    const ref = await scene.register(receiver.url, { rateLimit: 1, rateLimitPeriod: 'minute' });
    const dead = await scene.publish(queue, ref);
    const held = await scene.publish(queue, ref);
    await expect
      .poll(async () => (await scene.deliveries.find({ ...ref, deliveryId: dead }))?.state)
      .toBe('dead');
    await queue.reschedule([{ ...ref, deliveryId: held, run: 1, delayMs: 0 }]);
    await expect
      .poll(async () => (await scene.deliveries.find({ ...ref, deliveryId: held }))?.state)
      .toBe('held');
    const board = dashboard(name);
    await expect.poll(() => board.getJobCountByTypes('delayed', 'waiting', 'active')).toBe(0);

    await scene.webhooks.change(ref, { rateLimit: 10_000, rateLimitPeriod: 'second' });
    await scene.webhooks.enable(ref);
    const released = await scene.deliveries.release(ref, { limit: 100 });
    await queue.enqueue(released?.scheduled ?? []);
    await drained(scene.deliveries);
    expect(receiver.received().map(({ headers }) => headers['webhook-id'])[1]).toBe(held);
  });
});
