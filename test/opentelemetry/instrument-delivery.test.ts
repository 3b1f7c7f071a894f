import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { memoryStorage } from '@latchhook/core';
import type { DeliveryEngine } from '@latchhook/core/delivery';
import type { DeliveryStore } from '@latchhook/core/storage';
import { inProcessDelivery } from '@latchhook/delivery';
import { instrument, instrumentDelivery } from '@latchhook/opentelemetry';
import { drained, startFakeReceiver } from '@latchhook/testkit';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bullmqOn, deliveryScene, uniqueQueue } from '../delivery/delivery-scene.ts';
import { startPublisherOn } from '../support/apps/start-publisher.ts';
import { startTelemetryRecorder, type TelemetryRecorder } from './telemetry-recorder.ts';

/** Loses the first `finish` on its way to the store. */
function loseFirstFinish(deliveries: DeliveryStore): void {
  const finish = deliveries.finish.bind(deliveries);
  let lost = false;
  deliveries.finish = async (request) => {
    if (lost) return finish(request);
    lost = true;
    throw new Error('no connection');
  };
}

/** Does to each request what `@opentelemetry/instrumentation-undici` does: begins a span, and sends it along. */
function instrumentUndici({ providers }: TelemetryRecorder): void {
  const channel = 'undici:request:create';
  const onCreated = (message: unknown): void => {
    const { request } = message as { request: { addHeader(name: string, value: string): void } };
    const span = providers.tracerProvider.getTracer('undici').startSpan('POST');
    if (span.isRecording()) request.addHeader('traceparent', span.spanContext().traceId);
    span.end();
  };
  subscribe(channel, onCreated);
  onTestFinished(() => void unsubscribe(channel, onCreated));
}

async function deliver(answer: number, prepare?: (deliveries: DeliveryStore) => void) {
  const recorder = startTelemetryRecorder();
  const scene = deliveryScene();
  const receiver = await startFakeReceiver({ answers: answer });
  onTestFinished(() => receiver.close());
  const engine = instrumentDelivery(inProcessDelivery(), recorder.providers);
  prepare?.(scene.deliveries);
  const queue = scene.start(engine);
  const ref = await scene.register(receiver.url);
  const deliveryId = await scene.publish(queue, ref);
  await drained(scene.deliveries);
  return { ...recorder, ref, deliveryId, receiver };
}

describe('instrumented deliveries', () => {
  it('have a span and a duration for each attempt, with the ids and without the address', async () => {
    const { spans, points, ref, deliveryId, receiver } = await deliver(204);
    const outcome = { 'latchhook.delivery.outcome': 'delivered', 'http.response.status_code': 204 };
    expect(await points('latchhook.delivery.duration')).toEqual([
      { attributes: outcome, count: 1 },
    ]);
    const [span] = spans();
    expect(span).toMatchObject({
      name: 'deliver webhook',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(span?.attributes).toEqual({
      ...outcome,
      'http.request.method': 'POST',
      'latchhook.webhook.id': ref.webhookId,
      'latchhook.delivery.id': deliveryId,
      'latchhook.delivery.attempt': 1,
      'messaging.message.id': deliveryId,
    });
    expect(JSON.stringify(span?.attributes)).not.toContain(new URL(receiver.url).host);
    expect(receiver.received()[0]?.headers).not.toHaveProperty('traceparent');
  });

  it('say why an attempt failed', async () => {
    const { spans } = await deliver(410);
    expect(spans()).toMatchObject([
      {
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'latchhook.delivery.outcome': 'dead', 'error.type': '410' },
      },
    ]);
  });

  it('are counted if a sweep finds them late', async () => {
    const { points, providers } = startTelemetryRecorder();
    const scene = deliveryScene();
    const receiver = await startFakeReceiver({ answers: 204 });
    onTestFinished(() => receiver.close());
    const ref = await scene.register(receiver.url);
    await scene.publish({ enqueue: () => {} }, ref);
    expect(await points('latchhook.delivery.overdue')).toEqual([]);
    const sweep = { intervalMs: 1, graceMs: 0 };
    scene.start(instrumentDelivery(inProcessDelivery({ sweep }), providers));
    await drained(scene.deliveries);
    expect(await points('latchhook.delivery.overdue')).toEqual([{ attributes: {}, count: 1 }]);
  });

  it('count an attempt once, even if its end is reported twice', async () => {
    const { spans } = await deliver(204, loseFirstFinish);
    expect(spans()).toHaveLength(1);
  });

  it('have the id and the event of the span of their publication', async () => {
    const recorder = startTelemetryRecorder();
    const receiver = await startFakeReceiver();
    onTestFinished(() => receiver.close());
    const engine = instrumentDelivery(inProcessDelivery(), recorder.providers);
    const { auth, register } = await startPublisherOn(memoryStorage(), engine);
    await register(1, { url: receiver.url });
    const { events } = instrument(auth, recorder.providers);
    await events.publish('Contact.Added', { accountId: 1, data: { contactId: 'c_1' } });
    await expect.poll(() => recorder.spans()).toHaveLength(2);
    const spans = recorder.spans().map(({ name, attributes }) => ({
      name,
      id: attributes['messaging.message.id'],
      event: attributes['messaging.destination.name'],
    }));
    const [{ id } = expect.fail()] = spans;
    expect(id).toMatch(/^msg_/);
    expect(spans).toEqual([
      { name: 'publish Contact.Added', id, event: 'Contact.Added' },
      { name: 'deliver webhook', id, event: 'Contact.Added' },
    ]);
  });

  it('are counted if they were withdrawn as too late', async () => {
    const recorder = startTelemetryRecorder();
    // Every attempt is late, and so it is made only at the last admission.
    const scene = deliveryScene({ rateMarginMs: -1 });
    const receiver = await startFakeReceiver();
    onTestFinished(() => receiver.close());
    const queue = scene.start(instrumentDelivery(inProcessDelivery(), recorder.providers));
    await scene.publish(queue, await scene.register(receiver.url));
    await drained(scene.deliveries);
    expect(await recorder.points('latchhook.delivery.withdrawn')).toEqual([
      { attributes: {}, count: 7 },
    ]);
    expect(recorder.spans()).toHaveLength(1);
  });

  it('are timed up to where an attempt times out, and beyond', async () => {
    const { boundaries } = await deliver(204);
    expect((await boundaries('latchhook.delivery.duration')).slice(-3)).toEqual([10, 15, 20]);
  });

  it.each<[string, () => DeliveryEngine]>([
    ['in-process', () => inProcessDelivery()],
    ['bullmq', () => bullmqOn(uniqueQueue())],
  ])('show receivers no trace, and traces no receiver: %s', async (_name, newEngine) => {
    const recorder = startTelemetryRecorder();
    instrumentUndici(recorder);
    const { tracerProvider } = recorder.providers;
    const scene = deliveryScene();
    const receiver = await startFakeReceiver({ answers: [500, 204] });
    onTestFinished(() => receiver.close());
    const queue = scene.start(instrumentDelivery(newEngine(), recorder.providers));
    const ref = await scene.register(receiver.url);
    const request = tracerProvider.getTracer('app').startSpan('GET /');
    await context.with(trace.setSpan(context.active(), request), async () => {
      await scene.publish(queue, ref);
      await expect.poll(() => receiver.received()).toHaveLength(1);
      await scene.publish(queue, ref);
    });
    await expect.poll(() => receiver.received()).toHaveLength(2);
    for (const { headers } of receiver.received())
      expect(headers).not.toHaveProperty('traceparent');
    await expect.poll(() => recorder.spans()).toHaveLength(2);
    expect(recorder.spans()).toMatchObject([
      { name: 'deliver webhook', parentSpanContext: undefined },
      { name: 'deliver webhook', parentSpanContext: undefined },
    ]);
  });

  it('leave listeners of security events free to make spans', async () => {
    const recorder = startTelemetryRecorder();
    const scene = deliveryScene();
    const receiver = await startFakeReceiver({ answers: 410 });
    onTestFinished(() => receiver.close());
    const tracer = recorder.providers.tracerProvider.getTracer('app');
    const emit = (): void => tracer.startSpan('alert').end();
    const engine = instrumentDelivery(inProcessDelivery(), recorder.providers);
    const queue = engine.connect({ ...scene.context, emit });
    onTestFinished(() => queue.close());
    await scene.publish(queue, await scene.register(receiver.url));
    await expect.poll(() => recorder.spans().map(({ name }) => name)).toContain('alert');
  });
});
