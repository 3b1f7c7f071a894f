import { setTimeout as elapsed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { spawnDeliveryWorker } from '../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { untilDrained } from '../support/deliveries/until-drained.ts';
import { within } from '../support/time/own-time.ts';
import { onEveryStore, onServedStores } from './open-stores.ts';
import { publishMany, replacing, startWorker } from './start-worker.ts';

/** Far less than a lease: returned deliveries are sent again without waiting for the end of their leases. */
const WELL_BEFORE_LEASE_MS = 10_000;

describe('worker.close()', () => {
  onEveryStore((open) => {
    it('finishes attempts in flight, and leaves the remaining deliveries to other workers', async () => {
      const store = await open();
      const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
      const publisher = await startPublisherOn(store.connect());
      await publisher.register(1, { url: receiver.url, rate_limit: 10_000 });
      const worker = startWorker(store.connect(), publisher, { concurrency: 20 });
      await publishMany(publisher, 1, 60);
      // The limit of attempts in flight per webhook.
      await receiver.untilArrivals(10);
      const closed = worker.close();
      receiver.answer();
      await closed;
      expect(receiver.times()).toHaveLength(10);
      expect((await publisher.deliveries.stats()).pending).toBe(50);
      startWorker(store.connect(), publisher);
      await untilDrained(publisher.deliveries);
      expect(receiver.arrivals.size).toBe(60);
      expect(receiver.times()).toHaveLength(60);
    });

    it('returns the deliveries of a pending claim, which another worker sends immediately', async () => {
      const store = await open();
      const receiver = await startCountingReceiver();
      const publisher = await startPublisherOn(store.connect());
      await publisher.register(1, { url: receiver.url, rate_limit: 10_000 });
      await publishMany(publisher, 1, 20);
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      let handed = 0;
      const slow = replacing(store.connect(), (deliveries) => ({
        async claim(request) {
          const claim = await deliveries.claim(request);
          handed += claim.attempts.length;
          await released;
          return claim;
        },
      }));
      const worker = startWorker(slow, publisher);
      await expect.poll(() => handed).toBeGreaterThan(0);
      const closed = worker.close();
      release();
      await closed;
      expect(receiver.times()).toEqual([]);
      startWorker(store.connect(), publisher);
      await receiver.untilDistinct(20, WELL_BEFORE_LEASE_MS);
      await untilDrained(publisher.deliveries);
      expect(receiver.times()).toHaveLength(20);
    });

    it('waits for a hanging receiver no longer than closeMs', async () => {
      const store = await open();
      const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
      const publisher = await startPublisherOn(store.connect());
      await publisher.register(1, { url: receiver.url });
      const worker = startWorker(store.connect(), publisher, { closeMs: 300 });
      await publishMany(publisher, 1, 1);
      await receiver.untilArrivals(1);
      await within(2_000, worker.close());
      expect((await publisher.deliveries.stats()).pending).toBe(1);
    });
  });

  onServedStores((open) => {
    it('lets a process exit on SIGTERM once its attempts in flight have finished', async () => {
      const store = await open();
      const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
      const publisher = await startPublisherOn(store.connect());
      await publisher.register(1, { url: receiver.url, rate_limit: 10_000 });
      const { encryptionKey } = publisher;
      const worker = await spawnDeliveryWorker({ ...store.environment, encryptionKey });
      await publishMany(publisher, 1, 30);
      await receiver.untilArrivals(10);
      worker.signal('SIGTERM');
      // The closing worker starts no delivery that becomes due now.
      await elapsed(500);
      receiver.answer();
      await within(3_000, worker.exited());
      expect(worker.child.exitCode).toBe(0);
      expect((await publisher.deliveries.stats()).pending).toBe(20);
      await spawnDeliveryWorker({ ...store.environment, encryptionKey });
      await untilDrained(publisher.deliveries);
      expect(receiver.times()).toHaveLength(30);
    });

    it('lets an idle process exit on SIGTERM immediately', async () => {
      const store = await open();
      const { encryptionKey } = await startPublisherOn(store.connect());
      const worker = await spawnDeliveryWorker({ ...store.environment, encryptionKey });
      worker.signal('SIGTERM');
      await within(1_500, worker.exited());
      expect(worker.child.exitCode).toBe(0);
    });

    it.each([
      ['connections are rejected', 'reject'],
      ['nothing arrives', 'blackhole'],
    ] as const)(
      'resolves within seconds if the store has become unreachable because %s',
      async (_, fault) => {
        const store = await open();
        const publisher = await startPublisherOn(store.connect());
        const { network, connect } = await store.disturbed();
        const worker = startWorker(connect(), publisher, { closeMs: 1_000 });
        await network[fault]();
        // By now the worker waits between two calls, or for the deadline of one.
        await elapsed(2_000);
        await within(4_000, worker.close());
      },
    );

    it('resolves within seconds if the store was never reachable', async () => {
      const store = await open();
      const publisher = await startPublisherOn(store.connect());
      const { network, connect } = await store.disturbed();
      await network.reject();
      const worker = startWorker(connect(), publisher, { closeMs: 1_000 });
      await within(4_000, worker.close());
    });
  });
});
