import { randomUUID } from 'node:crypto';
import { assertNames, type NamesOf } from '../../assert-names.ts';
import { boundedInteger } from '../../bounded-integer.ts';
import { type Clock, steadyClock, systemClock } from '../../ports/clock.ts';
import { DueNotifier } from '../due-notifier.ts';
import { EngineCalls } from '../engine/engine-calls.ts';
import { loginsOn } from '../engine/logins-on.ts';
import { memoryEngine } from '../engine/memory-engine.ts';
import { mfaOn } from '../engine/mfa-on.ts';
import { personalAccessTokensOn } from '../engine/personal-access-tokens-on.ts';
import { startupOn } from '../engine/startup-on.ts';
import type { Storage } from '../storage.ts';
import { ofOneStore } from '../store-origin.ts';
import { memoryDeliveries } from './memory-deliveries.ts';
import { memoryLimiters } from './memory-limiter.ts';
import { MemoryQueues } from './memory-queues.ts';
import { memoryWebhooks } from './memory-webhooks.ts';

/** Options of {@link memoryStorage}. Every option has a default. */
export interface MemoryStorageOptions {
  /**
   * The source of time. Default: the system clock. Its `nowMs` is read once, and time advances by `monotonicMs` from
   * there. So a change of the wall clock affects neither waits nor lifetimes. Without `monotonicMs`, its `nowMs` must
   * never run back.
   */
  readonly clock?: Clock;
  /**
   * How many of the newest delivered deliveries are kept, over all webhooks. Older ones are no longer listed and cannot
   * be redelivered, and their events can be published again with the same id. Pending, held and dead deliveries are
   * kept for their whole retention. 0 to 1,000,000; default: 500.
   */
  readonly maxDelivered?: number;
}

const NAMES: NamesOf<MemoryStorageOptions> = { clock: true, maxDelivered: true };

/**
 * Stores everything in this process: for development, for tests, and for apps of one process that may lose all logins
 * when it ends. It is also the reference implementation of the storage contracts: `storageOn` with an engine in memory;
 * webhooks and deliveries are objects instead of rows, by the same decisions.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 */
export function memoryStorage(options: MemoryStorageOptions = {}): Required<Storage> {
  assertNames('memoryStorage', 'options_invalid', options, NAMES);
  const { clock: wallClock = systemClock } = options;
  const clock = steadyClock(wallClock);
  const maxDelivered = boundedInteger(
    'memoryStorage.maxDelivered',
    options.maxDelivered,
    500,
    [0, 1_000_000],
  );
  const calls = new EngineCalls(memoryEngine(clock), { deadlineMs: null, clock, wallClock });
  // A random name, so that only the users of this storage are notified.
  const notifier = new DueNotifier(randomUUID());
  const queues = new MemoryQueues(maxDelivered);
  return ofOneStore(
    { name: 'memory', startup: startupOn(calls) },
    {
      name: 'memory',
      ...loginsOn(calls),
      limiters: memoryLimiters(),
      personalAccessTokens: personalAccessTokensOn(calls),
      mfa: mfaOn(calls),
      webhooks: memoryWebhooks(queues, notifier, clock),
      deliveries: memoryDeliveries(queues, notifier, { clock, wallClock }),
    },
  );
}
