import { ConfigError, type DeliveryEngine, systemTimers } from '@latchhook/core';
import type { BullmqConnection } from './bullmq-connections.ts';
import { BullmqQueue } from './bullmq-queue.ts';
import { createFaultReporter } from './fault-reporter.ts';
import { concurrencyOf, openSender, type SendingOptions } from './sending-options.ts';

/** How {@link bullmqDelivery} uses BullMQ. All but `connection` has a default. */
export interface BullmqDeliveryOptions extends SendingOptions {
  /** The host's ioredis client, or the options of one. It is duplicated; itself it is left as it is. */
  readonly connection: BullmqConnection;
  /** The queue, for dashboards too. Default: `latchhook-deliveries`. */
  readonly queueName?: string;
  /**
   * Begins the name of every key of the queue. On Redis Cluster it needs braces, which put them all into one
   * slot. Default: `{latchhook}`.
   */
  readonly prefix?: string;
  /** `false`: this process only publishes, and others send: see `createDeliveryWorker`. Default: `true`. */
  readonly work?: boolean;
  /** Jobs of dead deliveries that stay to be looked at in a dashboard, for a week. Default: 1,000. */
  readonly keepDead?: number;
  /** How long publishing waits for the queue, ms. Default: 1,000. */
  readonly deadlineMs?: number;
}

/**
 * Sends by BullMQ: what is to be sent when is kept in Redis, and any number of processes share the work. Needs
 * `bullmq` and `ioredis`, which are loaded when the engine starts.
 *
 * Concurrency: a process that is killed has its deliveries taken over by another, within the lease of 20 seconds
 * and some five more. They may arrive twice, with the same `webhook-id`.
 *
 * Idempotency: a run is one job, however often it is handed over.
 *
 * Whether an attempt may start, and when a delivery is given up, the storage decides; the queue only remembers
 * when to ask. A Redis that comes back empty is filled again from a storage that lasts.
 *
 * Security: a job holds the ids of account, webhook and delivery; neither URL, nor secret, nor body.
 *
 * @throws {ConfigError} `option_out_of_bounds`, `options_invalid`
 * @example
 * ```ts
 * import { bullmqDelivery } from '@latchhook/delivery';
 * import { Redis } from 'ioredis';
 *
 * const redis = new Redis('redis://localhost:6379');
 * const delivery = bullmqDelivery({ connection: redis });
 * ```
 */
export function bullmqDelivery(options: BullmqDeliveryOptions): DeliveryEngine {
  const concurrency = concurrencyOf(options);
  const { queueName = 'latchhook-deliveries', prefix = '{latchhook}', connection } = options;
  const { work = true, keepDead = 1_000, deadlineMs = 1_000, sweep = {} } = options;
  if (queueName === '' || queueName.includes(':')) {
    throw new ConfigError('options_invalid', 'Give bullmqDelivery a queueName without colons.');
  }
  if (typeof connection !== 'object' || connection === null) {
    throw new ConfigError('options_invalid', 'Give bullmqDelivery an ioredis client: connection.');
  }
  return {
    name: 'bullmq',
    durable: true,
    connect(context) {
      const parts = {
        context,
        sender: openSender(context.policy, options),
        timers: systemTimers,
        random: Math.random,
        report: createFaultReporter(context),
      };
      const place = { connection, queueName, prefix };
      return new BullmqQueue(parts, { ...place, concurrency, work, keepDead, deadlineMs, sweep });
    },
  };
}
