import { ConfigError } from '@latchhook/core';
import type { DeliveryPolicy, Timers } from '@latchhook/core/delivery';
import { assertNames, boundedInteger, type NamesOf } from '@latchhook/core/storage';
import type { Dispatcher } from 'undici';
import {
  DEFAULT_GRACE_MS,
  DEFAULT_INTERVAL_MS,
  DEFAULT_PUT_OFF_MS,
  type SweepOptions,
} from './intake/sweeper.ts';
import { type LazySender, lazySender } from './runs/lazy-sender.ts';

const DEFAULT_CONCURRENCY = 500;
const DEFAULT_TIMEOUT_MS = 15_000;
/** The share of its lease that an attempt may take. The rest is for storing how it went. */
const SHARE_OF_LEASE = 0.75;

/** What every engine lets the host choose. All of it has a default. */
export interface SendingOptions {
  /**
   * Attempts that this process has in flight at a time, over all webhooks. With BullMQ as many come from the queue, and
   * up to twice as many beside those: what it has published itself, what a sweep has found, and what follows an
   * attempt. One account takes at most half as many of these as are free, which is a third while it is alone; ten it
   * may always take. Default: 500.
   */
  readonly concurrency?: number;
  /**
   * What connects in our place, such as the `ProxyAgent` of undici 7. Security: it, or the proxy behind it, then
   * resolves names, and has to keep private networks out. Not closed by us.
   */
  readonly dispatcher?: Dispatcher;
  /** How lost deliveries are looked for. */
  readonly sweep?: SweepOptions;
}

/** The names of {@link SendingOptions}, for engines that have others besides. */
export const SENDING: NamesOf<SendingOptions> = {
  concurrency: true,
  dispatcher: true,
  sweep: true,
};

const SWEEP: NamesOf<SweepOptions> = {
  intervalMs: true,
  graceMs: true,
  putOffMs: true,
  timers: true,
  random: true,
};

/** What every engine works by, checked and with its defaults. */
export interface ResolvedSending {
  readonly concurrency: number;
  readonly sweep: SweepOptions;
}

/**
 * @param engine - whose options they are, as the integrator knows it: `bullmqDelivery`
 * @throws {ConfigError} `option_out_of_bounds`, `option_unknown`, `options_invalid`
 */
export function resolveSending(engine: string, options: SendingOptions): ResolvedSending {
  const { concurrency, dispatcher, sweep = {} } = options;
  if (dispatcher !== undefined && typeof Object(dispatcher).dispatch !== 'function') {
    throw new ConfigError(
      'options_invalid',
      `${engine}.dispatcher must be one of undici, such as new ProxyAgent(url)`,
    );
  }
  assertNames(`${engine}.sweep`, 'options_invalid', sweep, SWEEP);
  const pauseOf = (name: 'intervalMs' | 'graceMs' | 'putOffMs', fallback: number, min: number) =>
    boundedInteger(`${engine}.sweep.${name}`, sweep[name], fallback, [min]);
  return {
    concurrency: boundedInteger(`${engine}.concurrency`, concurrency, DEFAULT_CONCURRENCY, [1]),
    sweep: {
      ...sweep,
      // Without a pause a sweeper would ask the store as fast as that answers.
      intervalMs: pauseOf('intervalMs', DEFAULT_INTERVAL_MS, 1),
      graceMs: pauseOf('graceMs', DEFAULT_GRACE_MS, 0),
      putOffMs: pauseOf('putOffMs', DEFAULT_PUT_OFF_MS, 0),
    },
  };
}

/** Makes what sends, by the policy of the app. */
export function openSender(
  policy: DeliveryPolicy,
  { dispatcher }: SendingOptions,
  timers: Timers,
): LazySender {
  return lazySender(async () => {
    const { createSender } = await import('./send/create-sender.ts');
    return createSender({
      allowHttp: policy.allowHttp,
      allowPrivateAddresses: policy.allowPrivateAddresses,
      timeoutMs: Math.min(DEFAULT_TIMEOUT_MS, Math.floor(policy.leaseMs * SHARE_OF_LEASE)),
      timers,
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
  });
}
