import { assertNames, type NamesOf } from '../../assert-names.ts';
import { boundedInteger } from '../../bounded-integer.ts';
import { type Clock, steadyClock, systemClock } from '../../ports/clock.ts';
import { EngineCalls } from '../engine/engine-calls.ts';
import { memoryEngine } from '../engine/memory-engine.ts';
import { storesOn } from '../engine/storage-on.ts';
import type { MfaStore } from '../mfa-store.ts';
import type { Storage } from '../storage.ts';
import { ofOneStore } from '../store-origin.ts';
import { MemoryDeliveryStore } from './memory-delivery-store.ts';
import { memoryLimiters } from './memory-limiter.ts';
import { MemoryStartup } from './memory-startup.ts';
import { MemoryWebhookStore } from './memory-webhook-store.ts';
import { QueueStates } from './queue/queue-states.ts';
import { WebhookStates } from './webhook-states.ts';

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
 * when it ends. It is also the reference implementation of the storage contracts, written to be read first.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 */
export function memoryStorage(options: MemoryStorageOptions = {}): Required<Storage> {
  assertNames('memoryStorage', 'options_invalid', options, NAMES);
  const { clock: given = systemClock } = options;
  const clock = steadyClock(given);
  const maxDelivered = boundedInteger(
    'memoryStorage.maxDelivered',
    options.maxDelivered,
    500,
    [0, 1_000_000],
  );
  const calls = new EngineCalls(memoryEngine(clock), { deadlineMs: null, clock });
  const derived = storesOn('memory', calls);
  const webhooks = new WebhookStates(clock);
  const queues = new QueueStates(clock, { maxDelivered, timeOfDay: given });
  return ofOneStore(
    { name: 'memory', startup: new MemoryStartup(clock) },
    {
      name: 'memory',
      ...derived,
      limiters: memoryLimiters(),
      webhooks: new MemoryWebhookStore(webhooks),
      deliveries: new MemoryDeliveryStore(queues, webhooks),
      mfa: byTimeOfDay(derived.mfa, () => given.nowMs() - clock.nowMs()),
    },
  );
}

/** When a factor was confirmed is compared with codes, which use the time of day. */
function byTimeOfDay(mfa: MfaStore, aheadMs: () => number): MfaStore {
  return {
    ...mfa,
    async find(userId) {
      const factor = await mfa.find(userId);
      return factor && { ...factor, confirmedAtMs: factor.confirmedAtMs + aheadMs() };
    },
  };
}
