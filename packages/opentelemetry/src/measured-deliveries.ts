import { isPromise } from '@latchhook/core';
import type {
  DeliveryStore,
  FinishRequest,
  StartOutcome,
  StartRequest,
} from '@latchhook/core/storage';
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { DELIVERY_BOUNDARIES, durationHistogram } from './duration-histogram.ts';
import { EventsInFlight } from './events-in-flight.ts';
import { type InstrumentOptions, meterOf, tracerOf } from './instrument-options.ts';
import { withOverrides } from './with-overrides.ts';

/**
 * The same deliveries: each attempt that ends is a span and a duration; those that were withdrawn are counted, and what
 * sweeps find late.
 */
export function measuredDeliveries(
  deliveries: DeliveryStore,
  options: InstrumentOptions,
): DeliveryStore {
  const tracer = tracerOf(options);
  const meter = meterOf(options);
  const overdue = meter.createCounter('latchhook.delivery.overdue', {
    description: 'Deliveries that should have started and were found by a sweep',
    unit: '{delivery}',
  });
  const durations = durationHistogram(meter, {
    name: 'latchhook.delivery.duration',
    description: 'Attempts to deliver a webhook',
    boundaries: DELIVERY_BOUNDARIES,
  });
  const withdrawn = meter.createCounter('latchhook.delivery.withdrawn', {
    description: 'Attempts that were withdrawn, since they would have been late for the rate',
    unit: '{attempt}',
  });
  const events = new EventsInFlight();
  /** An engine repeats the end of an attempt, by the same request, if the storage was unavailable. */
  const measuredEnds = new WeakSet<FinishRequest>();

  function noteStart(request: StartRequest, answer: StartOutcome): StartOutcome {
    // Once it is answered: a call that failed is repeated.
    if (request.withdrawnStartAtMs !== null) withdrawn.add(1);
    if (answer.outcome === 'started') events.begin(request, answer.body);
    else events.end(request);
    return answer;
  }

  function measure(ended: FinishRequest): void {
    const { result, webhookId, deliveryId, attempt } = ended;
    const outcome = outcomeOf(ended);
    durations.record(result.durationMs / 1000, outcome);
    const endedAtMs = Date.now();
    const event = events.end(ended);
    const attributes = {
      ...outcome,
      'http.request.method': 'POST',
      'latchhook.webhook.id': webhookId,
      'latchhook.delivery.id': deliveryId,
      'latchhook.delivery.attempt': attempt,
      // As on the span of the publication, which may be in another trace of another day.
      'messaging.message.id': deliveryId,
      ...(event !== undefined && { 'messaging.destination.name': event }),
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
      if (found.length > 0) overdue.add(found.length);
      return found;
    },
    start(request) {
      const answer = deliveries.start(request);
      const note = (started: StartOutcome): StartOutcome => noteStart(request, started);
      return isPromise(answer) ? answer.then(note) : note(answer);
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
