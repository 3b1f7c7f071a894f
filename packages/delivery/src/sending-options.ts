import { ConfigError } from '@latchhook/core';
import type { Timers } from '@latchhook/core/delivery';
import { assertNames, boundedInteger, type NamesOf } from '@latchhook/core/storage';
import type { Dispatcher } from 'undici';

const DEFAULT_CONCURRENCY = 500;
/** Longer than an attempt takes at most, by what it takes to tell the store. */
const DEFAULT_CLOSE_MS = 17_000;

/** How a process sends. All of it has a default. */
export interface SendingOptions {
  /**
   * Attempts that this process has in flight at a time, over all webhooks: 1 to 10,000. It claims no more for an
   * account once that has three quarters as many in flight, wherever, or ten, or `webhooks.maxInFlightPerAccount`.
   * Default: 500.
   */
  readonly concurrency?: number;
  /**
   * What connects in our place, such as the `ProxyAgent` of undici 7. Security: it, or the proxy behind it, then
   * resolves names, and has to keep private networks out. Not closed by us.
   */
  readonly dispatcher?: Dispatcher;
  /**
   * How long `close` waits for attempts in flight, ms: 0 to 60,000. Those that are left are sent again by others, once
   * their lease of 20 s is over. Default: 17,000, in which every attempt ends.
   */
  readonly closeMs?: number;
  /** What delays and deadlines are waited for by, for tests. Default: Node's own. */
  readonly timers?: Timers;
}

/** How a process sends, checked and with its defaults. */
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

/** @throws {ConfigError} `option_out_of_bounds`, `option_unknown`, `options_invalid` */
export function resolveSending(options: SendingOptions): ResolvedSending {
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
