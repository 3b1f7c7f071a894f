import { ConfigError } from '@latchhook/core';
import type { Timers } from '@latchhook/core/delivery';
import { assertNames, boundedInteger, type NamesOf } from '@latchhook/core/storage';
import type { Dispatcher } from 'undici';

const DEFAULT_CONCURRENCY = 500;
/** Enough for the longest attempt, and for completing it in the store. */
const DEFAULT_CLOSE_MS = 17_000;

/** How a process sends. Every option has a default. */
export interface SendingOptions {
  /**
   * Attempts that this process has in flight at a time, over all webhooks: 1 to 10,000. It claims nothing for an
   * account that has, over all processes, three quarters of this number in flight (at least ten), or
   * `webhooks.maxInFlightPerAccount` if that is less. Default: 500.
   */
  readonly concurrency?: number;
  /**
   * Opens the connections instead of the worker, such as the `ProxyAgent` of undici 7. The host closes it. Security:
   * the dispatcher, or its proxy, then resolves names, and has to block private networks.
   */
  readonly dispatcher?: Dispatcher;
  /**
   * How long `close` waits for attempts in flight, ms: 0 to 60,000. Other workers send the remaining ones again once
   * their lease of 20 s is over. Default: 17,000, within which every attempt ends.
   */
  readonly closeMs?: number;
  /** The timers for delays and deadlines, for tests. Default: those of Node.js. */
  readonly timers?: Timers;
}

/** {@link SendingOptions}, validated and with defaults. */
export interface ResolvedSending extends Pick<SendingOptions, 'dispatcher' | 'timers'> {
  readonly concurrency: number;
  readonly closeMs: number;
}

const NAMES: NamesOf<SendingOptions> = {
  concurrency: true,
  dispatcher: true,
  closeMs: true,
  timers: true,
};

/** @throws {ConfigError} `option_out_of_bounds`, `option_unknown`, `options_invalid`, `webhooks_invalid` */
export function resolveSending(options: SendingOptions): ResolvedSending {
  // The context of a delivery worker: core has called `worker: inProcessWorker`, which must be `inProcessWorker()`.
  if (Object.hasOwn(Object(options), 'deliveries')) {
    throw new ConfigError('webhooks_invalid', 'webhooks.worker must be inProcessWorker(): call it');
  }
  assertNames('inProcessWorker', 'options_invalid', options, NAMES);
  const { concurrency, dispatcher, closeMs, timers } = options;
  if (dispatcher !== undefined && typeof Object(dispatcher).dispatch !== 'function') {
    throw new ConfigError(
      'options_invalid',
      'inProcessWorker.dispatcher must be one of undici, such as new ProxyAgent(url)',
    );
  }
  return {
    concurrency: bounded('concurrency', concurrency, DEFAULT_CONCURRENCY, [1, 10_000]),
    closeMs: bounded('closeMs', closeMs, DEFAULT_CLOSE_MS, [0, 60_000]),
    ...(dispatcher && { dispatcher }),
    ...(timers && { timers }),
  };
}

function bounded(
  name: string,
  value: number | undefined,
  byDefault: number,
  bounds: readonly [number, number],
): number {
  return boundedInteger(`inProcessWorker.${name}`, value, byDefault, bounds);
}
