import type { AttemptEnd, DeliveryStore, SentAttempt } from '@latchhook/core/storage';
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { DELIVERY_BOUNDARIES, durationHistogram } from './duration-histogram.ts';
import { type InstrumentOptions, meterOf, tracerOf } from './instrument-options.ts';
import { withOverrides } from './with-overrides.ts';

/**
 * Wraps a delivery store: records each attempt that ends as a span and a duration, and counts attempts that were
 * returned without being sent. Stalled attempts are not recorded because the store does not report them.
 */
export function measuredDeliveries(
  deliveries: DeliveryStore,
  options: InstrumentOptions,
): DeliveryStore {
  const tracer = tracerOf(options);
  const meter = meterOf(options);
  const durations = durationHistogram(meter, {
    name: 'latchhook.delivery.duration',
    description: 'Attempts to deliver a webhook',
    boundaries: DELIVERY_BOUNDARIES,
  });
  const notStarted = meter.createCounter('latchhook.delivery.not_started', {
    description:
      'Attempts that were claimed and returned unsent, since they could not begin in time',
    unit: '{attempt}',
  });
  /** A worker retries `complete` with the same ends if the storage was unavailable; each is measured only once. */
  const measuredEnds = new WeakSet<AttemptEnd>();

  function measureOnce(end: AttemptEnd): void {
    if (measuredEnds.has(end)) return;
    measuredEnds.add(end);
    if ('result' in end) recordAttempt(end);
    else notStarted.add(1);
  }

  function recordAttempt(end: SentAttempt): void {
    const { result, webhookId, deliveryId, attempt, event } = end;
    const outcome = outcomeOf(end);
    durations.record(result.durationMs / 1000, outcome);
    const endedAtMs = Date.now();
    const attributes = {
      ...outcome,
      'http.request.method': 'POST',
      'latchhook.webhook.id': webhookId,
      'latchhook.delivery.id': deliveryId,
      'latchhook.delivery.attempt': attempt,
      // The same value as on the span of the publication, which is in another trace.
      'messaging.message.id': deliveryId,
      'messaging.destination.name': event,
    };
    const startTime = endedAtMs - result.durationMs;
    const settings = { kind: SpanKind.CLIENT, startTime, attributes };
    // In the active context, which is untraced, the span would not be recorded.
    const span = tracer.startSpan('deliver webhook', settings, ROOT_CONTEXT);
    if (end.outcome.kind !== 'delivered') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAtMs);
  }

  return withOverrides(deliveries, {
    complete(ends, limits) {
      for (const end of ends) measureOnce(end);
      return deliveries.complete(ends, limits);
    },
  });
}

/** Attributes with few enough values for metrics. */
function outcomeOf({ result: { status, error }, outcome: { kind } }: SentAttempt): Attributes {
  const failure = error ?? (kind === 'delivered' ? null : String(status));
  return {
    'latchhook.delivery.outcome': kind,
    ...(status !== null && { 'http.response.status_code': status }),
    ...(failure !== null && { 'error.type': failure }),
  };
}
