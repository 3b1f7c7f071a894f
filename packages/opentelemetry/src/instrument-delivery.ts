import { ConfigError, type StartDeliveryWorker } from '@latchhook/core';
import type { DeliveryStore } from '@latchhook/core/storage';
import type { InstrumentOptions } from './instrument-options.ts';
import { measuredDeliveries } from './measured-deliveries.ts';
import { tracedAgain, untraced } from './untraced.ts';
import { withOverrides } from './with-overrides.ts';

/**
 * Measures the sending of webhooks: each attempt is a span and a duration, with the attributes of HTTP clients, and
 * attempts that were returned unsent are counted. For the option `webhooks.worker` of `createAuth` and of
 * `createDeliveryWorker`.
 *
 * Each span begins a trace: an attempt may come days after what caused it, in another process. It has the
 * `messaging.message.id` of the span that {@link instrument} makes of the publication.
 *
 * Security: spans contain neither URL nor host, since both may hold a secret of the receiver's; by the ids in them,
 * your API shows the rest. The worker runs untraced: whatever else instruments the process, such as undici, makes no
 * spans of what the worker does, and sends no trace headers to receivers. An instrumentation's own metrics go on.
 *
 * @throws {ConfigError} `webhooks_invalid`
 *
 * @example
 * ```ts
 * import type { StartDeliveryWorker } from '@latchhook/core';
 * import { instrumentDelivery } from '@latchhook/opentelemetry';
 *
 * declare const worker: StartDeliveryWorker; // such as inProcessWorker()
 * const webhooks = { worker: instrumentDelivery(worker) };
 * ```
 */
export function instrumentDelivery(
  worker: StartDeliveryWorker,
  options: InstrumentOptions = {},
): StartDeliveryWorker {
  if (typeof worker !== 'function') {
    throw new ConfigError(
      'webhooks_invalid',
      'instrumentDelivery takes a worker: instrumentDelivery(inProcessWorker())',
    );
  }
  return (context) => {
    const deliveries = notifyingUntraced(measuredDeliveries(context.deliveries, options));
    // Calls the listeners, which are the host's.
    const emit: typeof context.emit = (event) => tracedAgain(() => context.emit(event));
    const running = untraced(() => worker({ ...context, deliveries, emit }));
    return {
      drain: (deadline) => untraced(() => running.drain(deadline)),
      close: () => untraced(() => running.close()),
    };
  };
}

/** A store may wake a worker in the context of the request that publishes. */
function notifyingUntraced(deliveries: DeliveryStore): DeliveryStore {
  if (deliveries.subscribe === undefined) return deliveries;
  const subscribe = deliveries.subscribe.bind(deliveries);
  return withOverrides(deliveries, { subscribe: (onDue) => subscribe(() => untraced(onDue)) });
}
