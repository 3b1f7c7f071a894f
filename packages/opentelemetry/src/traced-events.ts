import type { Events } from '@latchhook/core';
import { SpanKind } from '@opentelemetry/api';
import { type InstrumentOptions, meterOf, tracerOf } from './instrument-options.ts';
import { watched } from './traced-calls.ts';

/** Makes every publication a span, with the attributes of messaging, and counts it. Neither has data or keys. */
export function tracedEvents(events: Events, options: InstrumentOptions): Events {
  const tracer = tracerOf(options);
  const counter = meterOf(options).createCounter('latchhook.events.published', {
    description: 'Events that were published, or written within a transaction',
    unit: '{event}',
  });

  return {
    publish(event, message, publishOptions) {
      const attributes = {
        'messaging.system': 'latchhook',
        'messaging.operation.name': 'publish',
        'messaging.operation.type': 'send',
        'messaging.destination.name': event,
      };
      const settings = { kind: SpanKind.PRODUCER, attributes };
      return tracer.startActiveSpan(`publish ${event}`, settings, (span) =>
        watched(span, async () => {
          const published = await events.publish(event, message, publishOptions);
          // Not before: anything but the name of an event is refused, and could be anything.
          counter.add(1, { 'messaging.destination.name': event });
          span.setAttribute('messaging.message.id', published.id);
          span.setAttribute('latchhook.deliveries', published.deliveries);
          return published;
        }),
      );
    },
  };
}
