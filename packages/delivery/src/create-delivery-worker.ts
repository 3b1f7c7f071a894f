import { ConfigError, type DeliveryWorker } from '@latchhook/core';
import { createDeliveryContext, type DeliveryContextOptions } from '@latchhook/core/delivery';
import { inProcessWorker } from './in-process-worker.ts';

/**
 * The options of the same app's `createAuth`, as far as they concern deliveries. `webhooks.worker` defaults to
 * `inProcessWorker()`; `false` is rejected.
 */
export type DeliveryWorkerOptions = DeliveryContextOptions;

/** The longest interval of a Node.js timer. */
const LONGEST_INTERVAL_MS = 2 ** 31 - 1;

/**
 * Sends the deliveries of an app from a process that serves no HTTP, and keeps the process alive until the worker is
 * closed. The processes that serve HTTP set `webhooks: { worker: false }`, so that they only publish.
 *
 * Concurrency: any number of workers may run. The rate limit of each webhook holds over all of them.
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

/** A worker with `worker: false`, copied from the options of the web processes, would send nothing. */
function sendsNothing(): ConfigError {
  return new ConfigError(
    'webhooks_invalid',
    'webhooks.worker must be inProcessWorker() here, or left out: worker: false is for processes that only publish',
  );
}
