import type { DeliveryEngine, DeliveryStore, FinishRequest } from '@latchhook/core';
import { type Attributes, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { durationHistogram } from './duration-histogram.ts';
import { type InstrumentOptions, meterOf, tracerOf } from './instrument-options.ts';
import { withOverrides } from './with-overrides.ts';

/**
 * Measures the sending of webhooks: each attempt is a span and a duration, with the attributes of HTTP clients, and
 * what sweeps find late is counted. For the option `webhooks.delivery` of `createAuth` and of `createDeliveryWorker`.
 *
 * Each span begins a trace: an attempt may come days after what caused it, in another process.
 *
 * Security: spans contain neither URL nor host, since both may hold a secret of the receiver's; by the ids in them,
 * your API shows the rest. Trace headers are not sent to receivers.
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
    engine.connect({ ...context, deliveries: measured(context.deliveries, options) });
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
    const span = tracer.startSpan('deliver webhook', {
      root: true,
      kind: SpanKind.CLIENT,
      startTime: endedAtMs - result.durationMs,
      attributes: {
        ...outcome,
        'http.request.method': 'POST',
        'latchhook.webhook.id': webhookId,
        'latchhook.delivery.id': deliveryId,
        'latchhook.delivery.attempt': attempt,
      },
    });
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
