import { ConfigError } from '@latchhook/core';
import { boundedInteger, type NamesOf } from '@latchhook/core/storage';
import type { Dispatcher } from 'undici';
import { type ResolvedSweep, resolveSweep, type SweepOptions } from './intake/sweep-options.ts';

const DEFAULT_CONCURRENCY = 500;

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

/** What every engine works by, checked and with its defaults. */
export interface ResolvedSending {
  readonly concurrency: number;
  readonly sweep: ResolvedSweep;
}

/**
 * @param engine - whose options they are, as the integrator knows it: `bullmqDelivery`
 * @throws {ConfigError} `option_out_of_bounds`, `option_unknown`, `options_invalid`
 */
export function resolveSending(engine: string, options: SendingOptions): ResolvedSending {
  const { concurrency, dispatcher, sweep } = options;
  if (dispatcher !== undefined && typeof Object(dispatcher).dispatch !== 'function') {
    throw new ConfigError(
      'options_invalid',
      `${engine}.dispatcher must be one of undici, such as new ProxyAgent(url)`,
    );
  }
  return {
    concurrency: boundedInteger(`${engine}.concurrency`, concurrency, DEFAULT_CONCURRENCY, [1]),
    sweep: resolveSweep(`${engine}.sweep`, sweep),
  };
}
