import type { DeliveryEngine, DeliveryStore, FinishRequest } from '@latchhook/core';
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { durationHistogram } from './duration-histogram.ts';
import { type InstrumentOptions, meterOf, tracerOf } from './instrument-options.ts';
import { tracedAgain, untraced } from './untraced.ts';
import { withOverrides } from './with-overrides.ts';

/**
 * Measures the sending of webhooks: each attempt is a span and a duration, with the attributes of HTTP clients, and
 * what sweeps find late is counted. For the option `webhooks.delivery` of `createAuth` and of `createDeliveryWorker`.
 *
 * Each span begins a trace: an attempt may come days after what caused it, in another process.
 *
 * Security: spans contain neither URL nor host, since both may hold a secret of the receiver's; by the ids in them,
 * your API shows the rest. The engine works untraced: whatever else instruments the process, such as undici, makes no
 * spans of what the engine does, and sends no trace headers to receivers. An instrumentation's own metrics go on.
 *
 * @example
 * ```ts
 * import type { DeliveryEngine } from '@latchhook/core';
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
  const connect: DeliveryEngine['connect'] = (context) =>
    untraced(() =>
      engine.connect({
        ...context,
        deliveries: measured(context.deliveries, options),
        // Calls the listeners, which are the host's.
        emit: (event) => tracedAgain(() => context.emit(event)),
      }),
    );
  return withOverrides(engine, { connect });
}

function measured(deliveries: DeliveryStore, options: InstrumentOptions): DeliveryStore {
  const tracer = tracerOf(options);
  const meter = meterOf(options);
  const late = meter.createCounter('latchhook.delivery.overdue', {
    description: 'Deliveries that should have started and were found by a sweep',
    unit: '{delivery}',
  });
  const durations = durationHistogram(
    meter,
    'latchhook.delivery.duration',
    'Attempts to deliver a webhook',
  );
  /** An engine repeats the end of an attempt, by the same request, if the storage was unavailable. */
  const measuredEnds = new WeakSet<FinishRequest>();

  function measure(ended: FinishRequest): void {
    const { result, webhookId, deliveryId, attempt } = ended;
    const outcome = outcomeOf(ended);
    durations.record(result.durationMs / 1000, outcome);
    const endedAtMs = Date.now();
    const attributes = {
      ...outcome,
      'http.request.method': 'POST',
      'latchhook.webhook.id': webhookId,
      'latchhook.delivery.id': deliveryId,
      'latchhook.delivery.attempt': attempt,
    };
    const startTime = endedAtMs - result.durationMs;
    const settings = { kind: SpanKind.CLIENT, startTime, attributes };
    // Not in the active context, which is untraced.
    const span = tracer.startSpan('deliver webhook', settings, ROOT_CONTEXT);
    if (ended.verdict.kind !== 'delivered') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAtMs);
  }

  return withOverrides(deliveries, {
    async overdue(request) {
      const found = await deliveries.overdue(request);
      if (found.length > 0) late.add(found.length);
      return found;
    },
    finish(request) {
      if (!measuredEnds.has(request)) {
        measuredEnds.add(request);
        measure(request);
      }
      return deliveries.finish(request);
    },
  });
}

/** Attributes with few enough values to count by. */
function outcomeOf({ result: { status, error }, verdict }: FinishRequest): Attributes {
  const failure = error ?? (verdict.kind === 'delivered' ? null : String(status));
  return {
    'latchhook.delivery.outcome': verdict.kind,
    ...(status !== null && { 'http.response.status_code': status }),
    ...(failure !== null && { 'error.type': failure }),
  };
}
