import { ConfigError, type StartDeliveryWorker } from '@latchhook/core';
import type { DeliveryStore } from '@latchhook/core/storage';
import { assertInstrumentOptions, type InstrumentOptions } from './instrument-options.ts';
import { measuredDeliveries } from './measured-deliveries.ts';
import { tracedAgain, untraced } from './untraced.ts';
import { withOverrides } from './with-overrides.ts';

/**
 * Measures the sending of webhooks: records each attempt as a span and a duration, with the attributes of HTTP clients,
 * and counts attempts that were returned without being sent. For the option `webhooks.worker` of `createAuth` and of
 * `createDeliveryWorker`.
 *
 * Each span begins a trace because an attempt may run days after its event, in another process. It has the
 * `messaging.message.id` of the span that {@link instrument} creates for the publication.
 *
 * Security: spans contain neither URL nor host because both may contain a secret of the receiver; look them up in your
 * API by the ids in a span. The worker runs untraced: other instrumentations of the process, such as that of undici,
 * create no spans for its requests, and send no trace headers to receivers. Their metrics are unaffected.
 *
 * @throws {ConfigError} `webhooks_invalid`, `options_invalid`, `option_unknown`
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
  assertInstrumentOptions('instrumentDelivery', options);
  return (context) => {
    const deliveries = notifyingUntraced(measuredDeliveries(context.deliveries, options));
    // Listeners belong to the host, so tracing is enabled for them.
    const emit: typeof context.emit = (event) => tracedAgain(() => context.emit(event));
    const handle = untraced(() => worker({ ...context, deliveries, emit }));
    return {
      drain: (deadline) => untraced(() => handle.drain(deadline)),
      close: () => untraced(() => handle.close()),
    };
  };
}

/** Notifies the worker untraced because a store may notify it within the trace of the request that publishes. */
function notifyingUntraced(deliveries: DeliveryStore): DeliveryStore {
  if (deliveries.subscribe === undefined) return deliveries;
  const subscribe = deliveries.subscribe.bind(deliveries);
  return withOverrides(deliveries, { subscribe: (onDue) => subscribe(() => untraced(onDue)) });
}
