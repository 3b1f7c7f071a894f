import { type DeliveryEngine, preload, systemTimers, type Timers } from '@latchhook/core/delivery';
import { assertNames, type NamesOf } from '@latchhook/core/storage';
import { openRunDeps } from '../open-run-deps.ts';
import { undici } from '../send/undici.ts';
import { resolveSending, SENDING, type SendingOptions } from '../sending-options.ts';
import { InProcessQueue } from './in-process-queue.ts';

/** How {@link inProcessDelivery} works. All of it has a default. */
export interface InProcessDeliveryOptions extends SendingOptions {
  /** Timers for delays and timeouts. Default: Node's own. */
  readonly timers?: Timers;
}

const NAMES: NamesOf<InProcessDeliveryOptions> = { ...SENDING, timers: true };

/**
 * Sends from the process that publishes, which remembers in its memory when each delivery is to start. Needs
 * nothing beside it.
 *
 * What survives the end of the process is up to the storage. `memoryStorage` loses all with it. With a storage
 * that lasts nothing is lost: the next process asks it for what is late, and sends that, within
 * seconds. Several processes may share such a storage, and keep to each webhook's rate together; each sends
 * what it published itself, and what the others left behind.
 *
 * Expiry: a delivery that waits for its next attempt keeps the process alive; `auth.close` ends that.
 *
 * @throws {ConfigError} `option_out_of_bounds`, `option_unknown`, `options_invalid`
 * @example
 * ```ts
 * import { inProcessDelivery } from '@latchhook/delivery';
 *
 * const delivery = inProcessDelivery({ concurrency: 50 });
 * ```
 */
export function inProcessDelivery(options: InProcessDeliveryOptions = {}): DeliveryEngine {
  assertNames('inProcessDelivery', 'options_invalid', options, NAMES);
  const { concurrency, sweep } = resolveSending('inProcessDelivery', options);
  const { timers = systemTimers } = options;
  return {
    name: 'in-process',
    durable: false,
    sends: true,
    connect(context) {
      void preload([undici]);
      const deps = openRunDeps(context, options, { concurrency, timers, isTimeOfDayOurs: true });
      return new InProcessQueue(deps, { concurrency, sweep });
    },
  };
}
