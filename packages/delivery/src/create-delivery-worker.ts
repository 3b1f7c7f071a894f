import { ConfigError } from '@latchhook/core';
import {
  createDeliveryContext,
  type DeliveryContextOptions,
  type DeliveryEngine,
} from '@latchhook/core/delivery';

/**
 * What a worker needs: the options of the same app's `createAuth`, as far as they concern deliveries, except that
 * `webhooks.delivery` is an engine that sends: one without `work: false`.
 */
export type DeliveryWorkerOptions = DeliveryContextOptions;

/** A process that sends. */
export interface DeliveryWorker {
  /** Begins no more attempts, waits for those in flight, and releases everything. Can be called twice. */
  close(): Promise<void>;
}

/**
 * Sends the deliveries of an app from a process that serves no HTTP. The processes that do take
 * `bullmqDelivery({ work: false })`, and leave the sending to these.
 *
 * Concurrency: any number of them. Each webhook's rate holds over all.
 *
 * @throws {ConfigError} for any mistake in the options, with a code and a sentence that says what to write
 * @example
 * ```ts
 * import { bullmqDelivery, createDeliveryWorker } from '@latchhook/delivery';
 * import { redisStorage } from '@latchhook/redis';
 * import { Redis } from 'ioredis';
 *
 * const redis = new Redis('redis://localhost:6379');
 * const worker = createDeliveryWorker({
 *   storage: redisStorage(redis),
 *   keys: { encryption: [Buffer.from(process.env['ENCRYPTION_KEY'] ?? '', 'base64')] },
 *   webhooks: { delivery: bullmqDelivery({ connection: redis }) },
 * });
 * process.once('SIGTERM', () => worker.close().then(() => redis.disconnect()));
 * ```
 */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const context = createDeliveryContext(options, 'createDeliveryWorker');
  const { delivery } = options.webhooks;
  assertSends(delivery);
  const queue = delivery.connect(context);
  return { close: () => queue.close() };
}

/** With the options of the web processes, workers would only publish too, and nobody would send. */
function assertSends(delivery: DeliveryEngine): void {
  if (delivery.sends) return;
  throw new ConfigError(
    'webhooks_invalid',
    'webhooks.delivery only publishes: give createDeliveryWorker a bullmqDelivery without work: false',
  );
}
