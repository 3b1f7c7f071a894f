import { ConfigError } from '@latchhook/core';
import { type DeliveryEngine, systemTimers } from '@latchhook/core/delivery';
import { assertNames, boundedInteger, type NamesOf } from '@latchhook/core/storage';
import { openRunDeps } from '../open-run-deps.ts';
import { resolveSending, SENDING, type SendingOptions } from '../sending-options.ts';
import { type BullmqConnection, keyPrefixOf } from './bullmq-connections.ts';
import { BullmqQueue } from './bullmq-queue.ts';

/** How {@link bullmqDelivery} uses BullMQ. All but `connection` has a default. */
export interface BullmqDeliveryOptions extends SendingOptions {
  /** The host's ioredis client, or the options of one. It is duplicated; itself it is left as it is. */
  readonly connection: BullmqConnection;
  /** The queue, for dashboards too. Default: `latchhook-deliveries`. */
  readonly queueName?: string;
  /**
   * Begins the name of every key of the queue. On Redis Cluster it needs braces, which put them all into one hash
   * slot. Default: `{latchhook}`, or of a client with a `keyPrefix` that too: `{theirs:latchhook}`.
   *
   * Concurrency: apps that share a Redis need one each, as they do of `redisStorage`. Otherwise one app takes the jobs
   * of another, whose deliveries it does not have, and these are late.
   */
  readonly prefix?: string;
  /** `false`: this process only publishes, and others send: see `createDeliveryWorker`. Default: `true`. */
  readonly work?: boolean;
  /** How many jobs of dead deliveries stay for a week, to be seen in a dashboard. Default: 1,000. */
  readonly keepDead?: number;
  /** How long publishing waits for the queue, ms. Default: 1,000. */
  readonly deadlineMs?: number;
}

const NAMES: NamesOf<BullmqDeliveryOptions> = {
  ...SENDING,
  connection: true,
  queueName: true,
  prefix: true,
  work: true,
  keepDead: true,
  deadlineMs: true,
};

/**
 * Sends by BullMQ: when to send what is kept in Redis, and any number of processes share the work. Needs
 * `bullmq` and `ioredis`, which are loaded when the engine starts.
 *
 * Concurrency: a process that is killed has its deliveries taken over by another, within seconds of the end of
 * their lease of 20 seconds. They may arrive twice, with the same `webhook-id`.
 *
 * Idempotency: a run is one job, however often it is handed over.
 *
 * Whether an attempt may start, and when a delivery is given up, the storage decides; the queue only remembers
 * when to ask. A Redis that comes back empty is filled again from a storage that lasts.
 *
 * Security: a job holds the ids of account, webhook and delivery; neither URL, nor secret, nor body.
 *
 * @throws {ConfigError} `option_out_of_bounds`, `option_unknown`, `options_invalid`
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
  assertConnection(options);
  assertNames('bullmqDelivery', 'options_invalid', options, NAMES);
  const { connection, queueName = 'latchhook-deliveries' } = options;
  const { prefix = defaultPrefix(connection), work = true } = options;
  assertNameOfQueue(queueName, prefix);
  // `'false'`, as a variable of the environment has it, must not make a web process send.
  if (typeof work !== 'boolean') throw invalid('bullmqDelivery.work must be true or false');
  const settings = {
    ...resolveSending('bullmqDelivery', options),
    connection,
    queueName,
    prefix,
    work,
    keepDead: boundedInteger('bullmqDelivery.keepDead', options.keepDead, 1_000, [0]),
    deadlineMs: boundedInteger('bullmqDelivery.deadlineMs', options.deadlineMs, 1_000, [1]),
  };
  return {
    name: 'bullmq',
    durable: true,
    sends: work,
    connect(context) {
      const { concurrency } = settings;
      const deps = openRunDeps(context, options, {
        concurrency,
        timers: systemTimers,
        isTimeOfDayOurs: false,
      });
      return new BullmqQueue(deps, settings);
    },
  };
}

/** Comes first: instead of options, there may be the client itself, or nothing. */
function assertConnection(options: unknown): void {
  const { connection } = Object(options) as Partial<BullmqDeliveryOptions>;
  if (typeof connection === 'object' && connection !== null) return;
  throw invalid(
    'bullmqDelivery needs an ioredis client, or the options of one: bullmqDelivery({ connection: redis })',
  );
}

/** A `keyPrefix` with braces puts all keys into one hash slot by itself. */
function defaultPrefix(connection: BullmqConnection): string {
  const keyPrefix = keyPrefixOf(connection);
  return keyPrefix.includes('{') ? `${keyPrefix}latchhook` : `{${keyPrefix}latchhook}`;
}

/** BullMQ joins the parts of its keys with colons, and puts names of its own behind the last one. */
function assertNameOfQueue(queueName: unknown, prefix: unknown): void {
  if (typeof queueName !== 'string' || queueName === '' || queueName.includes(':')) {
    throw invalid('bullmqDelivery.queueName must be a string without colons that is not empty');
  }
  if (typeof prefix !== 'string' || prefix === '') {
    throw invalid('bullmqDelivery.prefix must be a string that is not empty, such as {latchhook}');
  }
}

function invalid(what: string): ConfigError {
  return new ConfigError('options_invalid', what);
}
