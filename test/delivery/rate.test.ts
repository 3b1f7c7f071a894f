import { startFakeReceiver } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { spawnDeliveryWorker } from '../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../support/apps/start-publisher.ts';
import { busiestWindow, startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { deliveryLog } from '../support/deliveries/delivery-log.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { onEveryStore, onServedStores } from './open-stores.ts';
import { publishMany, startWorker } from './start-worker.ts';

const RATE_LIMIT = 50;
const SECOND_MS = 1_000;
/** Four seconds of the rate, and a first second, whose attempts may all start immediately. */
const BACKLOG = 5 * RATE_LIMIT;

describe('the rate limit of a webhook', () => {
  onServedStores((open) => {
    it('is never exceeded by two processes, which use at least half of it', async () => {
      const store = await open();
      const receiver = await startCountingReceiver();
      const publisher = await startPublisherOn(store.connect());
      const webhook = await publisher.register(1, { url: receiver.url, rate_limit: RATE_LIMIT });
      await publishMany(publisher, 1, BACKLOG);
      const beginTimes: number[] = [];
      const watch = { onBegun: (atMs: number) => void beginTimes.push(atMs) };
      const environment = { ...store.environment, encryptionKey: publisher.encryptionKey };
      await Promise.all([
        spawnDeliveryWorker(environment, watch),
        spawnDeliveryWorker(environment, watch),
      ]);
      await receiver.untilDistinct(BACKLOG);
      expect(receiver.times()).toHaveLength(BACKLOG);
      await expect.poll(() => beginTimes.length).toBe(BACKLOG);
      expect(busiestWindow(beginTimes.toSorted(byTime), SECOND_MS)).toBeLessThanOrEqual(RATE_LIMIT);
      const log = await deliveryLog(publisher.deliveries, webhook);
      const starts = log.flatMap(({ attempts }) => attempts.map((one) => one.startedAtMs));
      expect(busiestWindow(starts.toSorted(byTime), SECOND_MS)).toBeLessThanOrEqual(RATE_LIMIT);
      const [first = 0, last = 0] = [Math.min(...beginTimes), Math.max(...beginTimes)];
      // Twice the time: on a busy machine, attempts that begin too late lose their place in the window.
      expect(last - first).toBeLessThan(2 * 4 * SECOND_MS);
    });

    it('drops to zero in all processes during the Retry-After of the receiver', async () => {
      const store = await open();
      const overloaded = { status: 503, headers: { 'retry-after': '2' } };
      const receiver = await startFakeReceiver({ answers: [overloaded, 200] });
      onTestFinished(() => receiver.close());
      const publisher = await startPublisherOn(store.connect());
      const webhook = await publisher.register(1, { url: receiver.url });
      startWorker(store.connect(), publisher);
      startWorker(store.connect(), publisher);
      await publisher.publish(1, 0);
      const attempts = async () => (await deliveryLog(publisher.deliveries, webhook))[0]?.attempts;
      await expect.poll(attempts).toMatchObject([{ status: 503 }]);
      const ids = await publishMany(publisher, 1, 5);
      const received = () => receiver.received().map(({ headers }) => headers['webhook-id']);
      await expect
        .poll(received, { timeout: PATIENT_MS })
        .toEqual(expect.arrayContaining([...ids]));
      const [firstMs = 0, ...laterMs] = receiver.received().map(({ atMs }) => atMs);
      expect(Math.min(...laterMs) - firstMs).toBeGreaterThan(1_900);
    });
  });

  onEveryStore((open) => {
    it('applies immediately after a change', async () => {
      const store = await open();
      const receiver = await startCountingReceiver();
      const publisher = await startPublisherOn(store.connect());
      const slow = { url: receiver.url, rate_limit: 1, rate_limit_period: 'minute' };
      const webhook = await publisher.register(1, slow);
      const worker = startWorker(store.connect(), publisher);
      await publishMany(publisher, 1, 100);
      await worker.drain({ deadlineMs: PATIENT_MS });
      expect(receiver.arrivals.size).toBeLessThanOrEqual(1);
      await publisher.change(webhook, { rate_limit: 1_000, rate_limit_period: 'second' });
      await receiver.untilDistinct(100, 10_000);
    });
  });
});

function byTime(one: number, other: number): number {
  return one - other;
}
