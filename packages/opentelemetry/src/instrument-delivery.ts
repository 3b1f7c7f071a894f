import { ConfigError } from '@latchhook/core';
import type { DeliveryEngine } from '@latchhook/core/delivery';
import type { InstrumentOptions } from './instrument-options.ts';
import { measuredDeliveries } from './measured-deliveries.ts';
import { tracedAgain, untraced } from './untraced.ts';
import { withOverrides } from './with-overrides.ts';

/**
 * Measures the sending of webhooks: each attempt is a span and a duration, with the attributes of HTTP clients, and
 * what sweeps find late is counted. For the option `webhooks.delivery` of `createAuth` and of `createDeliveryWorker`.
 *
 * Each span begins a trace: an attempt may come days after what caused it, in another process. It has the
 * `messaging.message.id` of the span that {@link instrument} makes of the publication.
 *
 * Security: spans contain neither URL nor host, since both may hold a secret of the receiver's; by the ids in them,
 * your API shows the rest. The engine works untraced: whatever else instruments the process, such as undici, makes no
 * spans of what the engine does, and sends no trace headers to receivers. An instrumentation's own metrics go on.
 *
 * @throws {ConfigError} `webhooks_invalid`
 *
 * @example
 * ```ts
 * import type { DeliveryEngine } from '@latchhook/core/delivery';
 * import { instrumentDelivery } from '@latchhook/opentelemetry';
 *
 * declare const engine: DeliveryEngine; // such as bullmqDelivery({ connection })
 * const webhooks = { delivery: instrumentDelivery(engine) };
 * ```
 */
export function instrumentDelivery(
  engine: DeliveryEngine,
  options: InstrumentOptions = {},
): DeliveryEngine {
  if (typeof engine?.connect !== 'function') {
    throw new ConfigError(
      'webhooks_invalid',
      'instrumentDelivery takes an engine: instrumentDelivery(inProcessDelivery())',
    );
  }
  const connect: DeliveryEngine['connect'] = (context) =>
    untraced(() =>
      engine.connect({
        ...context,
        deliveries: measuredDeliveries(context.deliveries, options),
        // Calls the listeners, which are the host's.
        emit: (event) => tracedAgain(() => context.emit(event)),
      }),
    );
  return withOverrides(engine, { connect });
}
