import { setTimeout as elapsed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startPublisherOn } from '../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { onEveryStore } from './open-stores.ts';
import { startWorker } from './start-worker.ts';

const RATE_LIMIT = 20;
/** Three seconds of the rate. Beyond this number, the oldest waiting delivery expires. */
const MAX_QUEUED = 60;
const PUBLISHED_AT_ONCE = 3;
const EVERY_MS = 50;
const ROUNDS = 120;

describe('a webhook that gets events at three times its rate limit', () => {
  onEveryStore((open) => {
    it('gets deliveries at half its rate limit at least', async () => {
      const store = await open();
      const receiver = await startCountingReceiver();
      const publisher = await startPublisherOn(store.connect(), {
        maxQueuedPerWebhook: MAX_QUEUED,
      });
      await publisher.register(1, { url: receiver.url, rate_limit: RATE_LIMIT });
      startWorker(store.connect(), publisher);
      const beganAtMs = performance.timeOrigin + performance.now();
      for (let round = 0; round < ROUNDS; round += 1) {
        const batch = Array.from({ length: PUBLISHED_AT_ONCE }, (_, i) => i);
        await Promise.all(batch.map((i) => publisher.publish(1, i)));
        await elapsed(EVERY_MS);
      }
      const tookMs = performance.timeOrigin + performance.now() - beganAtMs;
      const late = receiver.times().filter((timeMs) => timeMs > beganAtMs + tookMs / 2);
      expect(late.length).toBeGreaterThan(0.5 * RATE_LIMIT * (tookMs / 2_000));
    });
  });
});
