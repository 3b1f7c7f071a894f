import type { DeliveryStore } from '@latchhook/core';
import { inProcessDelivery } from '@latchhook/delivery';
import { instrumentDelivery } from '@latchhook/opentelemetry';
import { drained, startFakeReceiver } from '@latchhook/testkit';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliveryScene } from '../delivery/delivery-scene.ts';
import { startTelemetryRecorder } from '../support/telemetry-recorder.ts';

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

  it('are counted where a sweep finds them late', async () => {
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

  it('count an attempt once, though its end is reported twice', async () => {
    const { spans } = await deliver(204, loseFirstFinish);
    expect(spans()).toHaveLength(1);
  });
});
