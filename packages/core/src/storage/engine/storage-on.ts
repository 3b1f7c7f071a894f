import { assertNames, type NamesOf } from '../../assert-names.ts';
import { boundedInteger } from '../../bounded-integer.ts';
import { ConfigError } from '../../errors.ts';
import { missingMethods } from '../../missing-methods.ts';
import type { Clock } from '../../ports/clock.ts';
import { DueNotifier } from '../due-notifier.ts';
import type { Storage } from '../storage.ts';
import { ofOneStore } from '../store-origin.ts';
import { EngineCalls } from './engine-calls.ts';
import { limitersOn } from './limiters-on.ts';
import { loginsOn } from './logins-on.ts';
import { mfaOn } from './mfa-on.ts';
import { personalAccessTokensOn } from './personal-access-tokens-on.ts';
import { startupOn } from './startup-on.ts';
import type { StorageEngine } from './storage-engine.ts';
import { deliveriesOn } from './webhooks/deliveries-on.ts';
import { webhooksOn } from './webhooks/webhooks-on.ts';

/** Options of {@link storageOn}. Every option has a default. */
export interface StorageOnOptions {
  /** The timeout of a call, ms. Default: 1,000. */
  readonly deadlineMs?: number;
  /** For tests: the clock that measures waits. Default: the system clock. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<StorageOnOptions> = { deadlineMs: true, clock: true };
const METHODS: NamesOf<Pick<StorageEngine, 'transact' | 'find' | 'now'>> = {
  transact: true,
  find: true,
  now: true,
};

/**
 * Creates a storage on an engine. Each transition of the storage is a transaction of one partition.
 *
 * A call that has timed out changes nothing later.
 *
 * @throws {ConfigError} `storage_invalid` if the engine lacks a method; `options_invalid`, `option_unknown`,
 *   `option_out_of_bounds`
 * @example
 * ```ts
 * import { storageOn, type StorageEngine } from '@latchhook/core/storage';
 *
 * declare const engine: StorageEngine; // yours
 *
 * const storage = storageOn(engine);
 * ```
 */
export function storageOn(
  engine: StorageEngine,
  options: StorageOnOptions = {},
): Required<Storage> {
  assertNames('storageOn', 'options_invalid', options, NAMES);
  const missing = missingMethods('the engine', engine, Object.keys(METHODS));
  if (missing.length > 0) {
    throw new ConfigError(
      'storage_invalid',
      `storageOn needs an engine that has ${missing.join(', ')}`,
    );
  }
  const deadlineMs = boundedInteger('storageOn.deadlineMs', options.deadlineMs, 1_000, [1]);
  const calls = new EngineCalls(engine, { deadlineMs, clock: options.clock });
  const origin = { name: engine.name, startup: startupOn(calls) };
  const notifier = new DueNotifier(engine.name);
  return ofOneStore(origin, {
    name: engine.name,
    ...loginsOn(calls),
    limiters: limitersOn(calls),
    personalAccessTokens: personalAccessTokensOn(calls),
    mfa: mfaOn(calls),
    webhooks: webhooksOn(calls, notifier),
    deliveries: deliveriesOn(calls, notifier),
  });
}
