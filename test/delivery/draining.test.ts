import { inProcessWorker } from '@latchhook/delivery';
import { startFakeReceiver } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPublisherOn } from '../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { within } from '../support/time/own-time.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { onEveryStore } from './open-stores.ts';
import { publishMany, startWorker } from './start-worker.ts';

describe('drain()', () => {
  onEveryStore((open) => {
    it('resolves once all due deliveries were sent', async () => {
      const store = await open();
      const receiver = await startCountingReceiver({ answerAfterMs: 20 });
      const publisher = await startPublisherOn(store.connect(), { worker: inProcessWorker() });
      await publisher.register(1, { url: receiver.url, rate_limit: 10_000 });
      for (const round of [1, 2]) {
        await publishMany(publisher, 1, 50);
        const drained = await publisher.auth.drainDeliveries({ deadlineMs: PATIENT_MS });
        expect(drained).toEqual({ outcome: 'drained' });
        expect(receiver.times()).toHaveLength(50 * round);
        expect((await publisher.deliveries.stats()).pending).toBe(0);
      }
    });

    it('does not wait for a delivery that is due later', async () => {
      const store = await open();
      // This response delays the next attempt by more than half an hour.
      const busy = { status: 503, headers: { 'retry-after': '2000' } };
      const receiver = await startFakeReceiver({ answers: busy });
      onTestFinished(() => receiver.close());
      const publisher = await startPublisherOn(store.connect());
      await publisher.register(1, { url: receiver.url });
      const worker = startWorker(store.connect(), publisher);
      await publishMany(publisher, 1, 1);
      expect(await worker.drain({ deadlineMs: PATIENT_MS })).toEqual({ outcome: 'drained' });
      expect(receiver.received()).toHaveLength(1);
      expect((await publisher.deliveries.stats()).pending).toBe(1);
    });

    it('resolves to the outcome `deadline` if a receiver hangs', async () => {
      const store = await open();
      const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
      const publisher = await startPublisherOn(store.connect());
      await publisher.register(1, { url: receiver.url });
      const worker = startWorker(store.connect(), publisher);
      await publishMany(publisher, 1, 1);
      await receiver.untilArrivals(1);
      const drained = await within(2_000, worker.drain({ deadlineMs: 300 }));
      expect(drained).toEqual({ outcome: 'deadline' });
      receiver.answer();
      expect(await worker.drain({ deadlineMs: PATIENT_MS })).toEqual({ outcome: 'drained' });
    });

    it('resolves immediately in a process that only publishes', async () => {
      const store = await open();
      const { auth } = await startPublisherOn(store.connect(), { worker: false });
      expect(await auth.drainDeliveries({ deadlineMs: 0 })).toEqual({ outcome: 'drained' });
    });
  });
});
