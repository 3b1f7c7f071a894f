import { setTimeout as elapsed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { spawnDeliveryWorker } from '../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { untilDrained } from '../support/deliveries/until-drained.ts';
import { onEveryStore, onServedStores } from './open-stores.ts';
import { publishMany, startWorker } from './start-worker.ts';

const MANY = 1_000;

describe('workers that share a store', () => {
  onEveryStore((open) => {
    it('send each of 1,000 deliveries once', async () => {
      const store = await open();
      const receiver = await startCountingReceiver();
      const publisher = await startPublisherOn(store.connect());
      await publisher.register(1, { url: receiver.url, rate_limit: 10_000 });
      const workers = [
        startWorker(store.connect(), publisher),
        startWorker(store.connect(), publisher),
      ];
      await publishMany(publisher, 1, MANY);
      await untilDrained(publisher.deliveries);
      expect(receiver.arrivals.size).toBe(MANY);
      expect(receiver.times()).toHaveLength(MANY);
      expect(workers.flatMap(({ events }) => events)).toEqual([]);
    });

    it('send every delivery of an app with worker: false, which sends none itself', async () => {
      const store = await open();
      const receiver = await startCountingReceiver();
      const publisher = await startPublisherOn(store.connect(), { worker: false });
      await publisher.register(1, { url: receiver.url });
      await publishMany(publisher, 1, 3);
      // Longer than the poll of a worker.
      await elapsed(1_500);
      expect(receiver.times()).toEqual([]);
      expect((await publisher.deliveries.stats()).pending).toBe(3);
      startWorker(store.connect(), publisher);
      await receiver.untilDistinct(3);
    });
  });

  onServedStores((open) => {
    it('send each delivery once from two processes, and share the work', async () => {
      const store = await open();
      const receiver = await startCountingReceiver({ answerAfterMs: 5 });
      const publisher = await startPublisherOn(store.connect());
      for (const account of [1, 2, 3, 4]) {
        await publisher.register(account, { url: receiver.url, rate_limit: 10_000 });
      }
      const environment = { ...store.environment, encryptionKey: publisher.encryptionKey };
      const attemptCounts = [0, 0];
      await Promise.all(
        attemptCounts.map((_, i) => {
          const onBegun = () => {
            attemptCounts[i] = (attemptCounts[i] ?? 0) + 1;
          };
          return spawnDeliveryWorker(environment, { onBegun });
        }),
      );
      for (const account of [1, 2, 3, 4]) await publishMany(publisher, account, MANY / 4);
      await untilDrained(publisher.deliveries);
      expect(receiver.times()).toHaveLength(MANY);
      expect(receiver.arrivals.size).toBe(MANY);
      await expect.poll(() => attemptCounts.reduce((sum, count) => sum + count)).toBe(MANY);
      expect(Math.min(...attemptCounts)).toBeGreaterThan(0);
    });
  });
});
