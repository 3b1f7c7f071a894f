import { ConfigError, type DeliveryWorker } from '@latchhook/core';
import { createDeliveryContext, type DeliveryContextOptions } from '@latchhook/core/delivery';
import { inProcessWorker } from './in-process-worker.ts';

/**
 * What a worker needs: the options of the same app's `createAuth`, as far as they concern deliveries. `webhooks.worker`
 * may be left out, for `inProcessWorker()`; `false` is rejected.
 */
export type DeliveryWorkerOptions = DeliveryContextOptions;

/** Longer than any timer of Node's may be. */
const LONGEST_INTERVAL_MS = 2 ** 31 - 1;

/**
 * Sends the deliveries of an app from a process that serves no HTTP, and keeps that alive until it is closed. The
 * processes that do take `webhooks: { worker: false }`, and leave the sending to these.
 *
 * Concurrency: any number of them. Each webhook's rate holds over all.
 *
 * @throws {ConfigError} for any mistake in the options, with a code and a sentence that says what to write
 * @example
 * ```ts
 * import { createDeliveryWorker } from '@latchhook/delivery';
 * import { redisStorage } from '@latchhook/redis';
 * import { Redis } from 'ioredis';
 *
 * const redis = new Redis('redis://localhost:6379');
 * const worker = createDeliveryWorker({
 *   storage: redisStorage(redis),
 *   keys: { encryption: [Buffer.from(process.env['ENCRYPTION_KEY'] ?? '', 'base64')] },
 * });
 * process.once('SIGTERM', () => worker.close().then(() => redis.disconnect()));
 * ```
 */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const context = createDeliveryContext(options, 'createDeliveryWorker');
  const { worker = inProcessWorker() } = options.webhooks ?? {};
  if (typeof worker !== 'function') throw sendsNothing();
  const running = worker(context);
  const alive = setInterval(() => {}, LONGEST_INTERVAL_MS);
  return {
    drain: (deadline) => running.drain(deadline),
    async close() {
      try {
        await running.close();
      } finally {
        clearInterval(alive);
      }
    },
  };
}

/** With the options of the web processes, workers would only publish too, and nobody would send. */
function sendsNothing(): ConfigError {
  return new ConfigError(
    'webhooks_invalid',
    'webhooks.worker must be inProcessWorker() here, or left out: worker: false is for processes that only publish',
  );
}
