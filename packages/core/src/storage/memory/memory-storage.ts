import { randomUUID } from 'node:crypto';
import { assertNames, type NamesOf } from '../../assert-names.ts';
import { boundedInteger } from '../../bounded-integer.ts';
import { type Clock, steadyClock, systemClock } from '../../ports/clock.ts';
import { EngineCalls } from '../engine/engine-calls.ts';
import { memoryEngine } from '../engine/memory-engine.ts';
import { startupOn } from '../engine/startup-on.ts';
import { storesOn } from '../engine/storage-on.ts';
import type { Storage } from '../storage.ts';
import { ofOneStore } from '../store-origin.ts';
import { forgetRemoved } from './forget-removed.ts';
import { keepNewestDelivered } from './keep-newest-delivered.ts';
import { memoryLimiters } from './memory-limiter.ts';

/** Options of {@link memoryStorage}. All have a default. */
export interface MemoryStorageOptions {
  /**
   * Where the time comes from. Default: the system's clock. Its `nowMs` is read once, and `monotonicMs` counts on from
   * there: what waits is unaffected when the time of day is set, and the times in records are those of a clock that
   * nobody has set since.
   */
  readonly clock?: Clock;
  /**
   * Deliveries that are kept once they are delivered, of all webhooks together, the newest. Beyond that, the oldest are
   * neither listed nor sent again, and their events can be published again under the same id. Those that are pending,
   * held or dead are kept for as long as they were to be. 0 to 1,000,000; default: 500.
   */
  readonly maxDelivered?: number;
}

const NAMES: NamesOf<MemoryStorageOptions> = { clock: true, maxDelivered: true };

/**
 * Keeps everything in this process: for development, for tests, and for apps of one process that may forget all logins
 * when it ends. It is also the reference implementation of the storage contracts: `storageOn`, on an engine in memory.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 */
export function memoryStorage(options: MemoryStorageOptions = {}): Required<Storage> {
  assertNames('memoryStorage', 'options_invalid', options, NAMES);
  const { clock: timeOfDay = systemClock } = options;
  const clock = steadyClock(timeOfDay);
  const maxDelivered = boundedInteger(
    'memoryStorage.maxDelivered',
    options.maxDelivered,
    500,
    [0, 1_000_000],
  );
  const calls = new EngineCalls(memoryEngine(clock), { deadlineMs: null, clock, timeOfDay });
  // Only who uses this one is notified of what is due.
  const stores = storesOn(randomUUID(), calls);
  return ofOneStore(
    { name: 'memory', startup: startupOn(calls) },
    {
      name: 'memory',
      ...stores,
      limiters: memoryLimiters(),
      webhooks: forgetRemoved(stores.webhooks, calls),
      deliveries: keepNewestDelivered(stores.deliveries, calls, maxDelivered),
    },
  );
}
