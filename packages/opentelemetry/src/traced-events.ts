import type { Events } from '@latchhook/core';
import { SpanKind } from '@opentelemetry/api';
import { type InstrumentOptions, tracerOf } from './instrument-options.ts';
import { watched } from './traced-calls.ts';

/** Makes every publication a span, with the attributes of messaging. It contains neither data nor keys. */
export function tracedEvents(events: Events, options: InstrumentOptions): Events {
  const tracer = tracerOf(options);

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
          span.setAttribute('messaging.message.id', published.id);
          span.setAttribute('latchhook.deliveries', published.deliveries);
          return published;
        }),
      );
    },
  };
}
