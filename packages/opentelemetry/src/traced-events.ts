import type { AccountId, Events, EventTypes } from '@latchhook/core';
import { SpanKind } from '@opentelemetry/api';
import { type InstrumentOptions, meterOf, tracerOf } from './instrument-options.ts';
import { runInSpan } from './traced-calls.ts';

/**
 * Records every publication as a span with the attributes of messaging, and counts it. Neither the span nor the counter
 * contains the data or the keys of an event.
 *
 * Security: a caller may by mistake pass data as the name of the event. Only a known event becomes the name of the
 * span, which samplers see.
 */
export function tracedEvents<Types extends EventTypes, Id extends AccountId>(
  events: Events<Types, Id>,
  options: InstrumentOptions,
): Events<Types, Id> {
  const tracer = tracerOf(options);
  const counter = meterOf(options).createCounter('latchhook.events.published', {
    description: 'Events that were published, or written within a transaction',
    unit: '{event}',
  });

  return {
    names: events.names,
    publish(event, message, publishOptions) {
      const name = events.names.find((eventName) => eventName === event);
      const attributes = {
        'messaging.system': 'latchhook',
        'messaging.operation.name': 'publish',
        'messaging.operation.type': 'send',
        ...(name !== undefined && { 'messaging.destination.name': name }),
      };
      const settings = { kind: SpanKind.PRODUCER, attributes };
      const title = name === undefined ? 'publish' : `publish ${name}`;
      return tracer.startActiveSpan(title, settings, (span) =>
        runInSpan(span, async () => {
          const published = await events.publish(event, message, publishOptions);
          counter.add(1, { 'messaging.destination.name': event });
          span.setAttribute('messaging.message.id', published.id);
          span.setAttribute('latchhook.deliveries', published.deliveries);
          return published;
        }),
      );
    },
  };
}
