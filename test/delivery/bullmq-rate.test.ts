import type {
  DeliveryStore,
  ListedDelivery,
  ScheduledDelivery,
  WebhookRef,
} from '@latchhook/core/storage';
import { drained, startFakeReceiver } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { busiestWindow, startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { ownTime } from '../support/time/own-time.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import {
  bullmqOn,
  type DeliveryScene,
  dashboard,
  deliveryScene,
  methodsOf,
  uniqueQueue,
} from './delivery-scene.ts';

describe('delivery by BullMQ under a rate', () => {
  it('keeps the rate exactly over two workers, and uses all of it', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const name = uniqueQueue();
    const queue = scene.start(bullmqOn(name));
    scene.start(bullmqOn(name));
    const deliverAll = async (ref: WebhookRef): Promise<number> => {
      const time = ownTime();
      await scene.publishMany(queue, ref, 200);
      await drained(scene.deliveries);
      return time.stop();
    };
    // How long the machine takes for as many deliveries where none has to wait.
    const workMs = await deliverAll(await scene.register(receiver.url));
    const ref = await scene.register(receiver.url, { rateLimit: 50 });
    expect(await deliverAll(ref)).toBeLessThan(4_300 + workMs);
    expect(busiestWindow(await startsOf(scene, ref), 1_000)).toBe(50);
    expect(receiver.times()).toHaveLength(400);
  });

  it('asks for none of a burst to one webhook before its turn', async () => {
    const scene = deliveryScene({ maxInFlightPerWebhook: 10, rateMarginMs: 500 });
    const receiver = await startCountingReceiver();
    const outcomes: string[] = [];
    const deliveries: DeliveryStore = {
      ...methodsOf(scene.deliveries),
      async start(request) {
        const answer = await scene.deliveries.start(request);
        outcomes.push(answer.outcome);
        return answer;
      },
    };
    const queue = bullmqOn(uniqueQueue()).connect({ ...scene.context, deliveries });
    onTestFinished(() => queue.close());
    await scene.publishMany(queue, await scene.register(receiver.url), 200);
    await receiver.untilDistinct(200);
    expect(outcomes).toEqual(Array.from({ length: 200 }, () => 'started'));
  });

  it('leaves a receiver alone for as long as it asks, with all that is for it', async () => {
    const scene = deliveryScene();
    const overloaded = { status: 503, headers: { 'retry-after': '2' } };
    const receiver = await startFakeReceiver({ answers: [overloaded, 200] });
    onTestFinished(() => receiver.close());
    // Each with a queue of its own: no job of the one process is begun by the other.
    const queue = scene.start(bullmqOn(uniqueQueue()));
    const other = scene.start(bullmqOn(uniqueQueue()));
    const ref = await scene.register(receiver.url);
    const answered = { ...ref, deliveryId: await scene.publish(queue, ref) };
    const find = () => scene.deliveries.find(answered);
    await expect.poll(async () => (await find())?.attempts).toMatchObject([{ status: 503 }]);
    const ids = [await scene.publish(queue, ref), await scene.publish(other, ref)];
    const received = () => receiver.received().map(({ headers }) => headers['webhook-id']);
    await expect.poll(received, { timeout: PATIENT_MS }).toEqual(expect.arrayContaining(ids));
    const [firstMs = 0, ...laterMs] = receiver.received().map(({ atMs }) => atMs);
    expect(Math.min(...laterMs) - firstMs).toBeGreaterThan(1_900);
  });

  it('wakes the delivery that is next, though its job is delayed for long', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const deliveries = wakingFirst(scene.deliveries, 300);
    const queue = bullmqOn(uniqueQueue()).connect({ ...scene.context, deliveries });
    onTestFinished(() => queue.close());
    const ref = await scene.register(receiver.url);
    await scene.publishMany(queue, ref, 2);
    await receiver.untilDistinct(2);
    const [first = 0, second = 0] = receiver.times();
    expect(second - first).toBeGreaterThan(250);
  });

  it('has the queue wake a delivery that is next but later, though the process that was to wake it has ended', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const name = uniqueQueue();
    const board = dashboard(name);
    const deliveries = wakingFirst(scene.deliveries, 2_000);
    const queue = bullmqOn(name).connect({ ...scene.context, deliveries });
    const ref = await scene.register(receiver.url);
    await scene.publishMany(queue, ref, 1);
    await expect.poll(async () => (await board.getDelayed())[0]?.delay).toBeGreaterThan(3_000_000);
    await scene.publishMany(queue, ref, 1);
    await expect.poll(async () => (await board.getDelayed())[0]?.delay).toBeLessThan(2_000);
    await queue.close();
    expect(receiver.times()).toHaveLength(1);
    scene.start(bullmqOn(name));
    await receiver.untilDistinct(2);
  });

  it('follows a new rate at once', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const queue = scene.start(bullmqOn(uniqueQueue()));
    const ref = await scene.register(receiver.url, { rateLimit: 1, rateLimitPeriod: 'minute' });
    await scene.publishMany(queue, ref, 100);
    await receiver.untilDistinct(1);
    await scene.webhooks.change(ref, { rateLimit: 1_000, rateLimitPeriod: 'second' });
    const limits = { rateMarginMs: 25, maxInFlight: 10, leaseMs: 20_000 };
    const page = { ...limits, limit: 100, after: null };
    await queue.reschedule((await scene.deliveries.reschedule(ref, page)) ?? []);
    await receiver.untilDistinct(100);
  });
});

/** Parks the first delivery for an hour, and wakes it when the next one ends, to start after `delayMs`. */
function wakingFirst(deliveries: DeliveryStore, delayMs: number): DeliveryStore {
  let parked: ScheduledDelivery | null = null;
  let next: ScheduledDelivery | null = null;
  return {
    ...methodsOf(deliveries),
    async start(request) {
      if (parked !== null) return deliveries.start(request);
      parked = { ...request, delayMs };
      next = parked;
      return { outcome: 'deferred', delayMs: 3_600_000, reason: 'in_flight', next: null };
    },
    async finish(request) {
      const answer = await deliveries.finish(request);
      const woken = next;
      next = null;
      return answer.outcome === 'finished' ? { ...answer, next: woken } : answer;
    },
  };
}

async function startsOf(scene: DeliveryScene, ref: WebhookRef): Promise<number[]> {
  const starts: number[] = [];
  let after: number | null = null;
  for (;;) {
    const page: readonly ListedDelivery[] | null = await scene.deliveries.list(ref, {
      limit: 100,
      after,
    });
    const last = page?.at(-1);
    if (page === null || last === undefined) return starts.sort((one, other) => one - other);
    for (const { attempts } of page) starts.push(...attempts.map(({ startedAtMs }) => startedAtMs));
    after = last.sequence;
  }
}
