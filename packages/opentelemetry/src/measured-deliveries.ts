import type { AttemptEnd, DeliveryStore, SentAttempt } from '@latchhook/core/storage';
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { DELIVERY_BOUNDARIES, durationHistogram } from './duration-histogram.ts';
import { type InstrumentOptions, meterOf, tracerOf } from './instrument-options.ts';
import { withOverrides } from './with-overrides.ts';

/**
 * Wraps deliveries: each attempt that ends is a span and a duration; attempts that were returned without being sent are
 * counted. Stalled attempts are missing, as the contract of the store does not report them.
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
  /** The ends that were measured, as a worker retries `complete` with the same ones if the storage was unavailable. */
  const measuredEnds = new WeakSet<AttemptEnd>();

  function measureOnce(end: AttemptEnd): void {
    if (measuredEnds.has(end)) return;
    measuredEnds.add(end);
    if ('result' in end) measure(end);
    else notStarted.add(1);
  }

  function measure(end: SentAttempt): void {
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
    // The active context is untraced, so the span starts from the root.
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
