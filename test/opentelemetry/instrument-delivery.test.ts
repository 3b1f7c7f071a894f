import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createAuth, memoryStorage } from '@latchhook/core';
import type { AttemptEnd, DeliveryStore, Storage } from '@latchhook/core/storage';
import { createDeliveryWorker, inProcessWorker } from '@latchhook/delivery';
import { instrument, instrumentDelivery } from '@latchhook/opentelemetry';
import { redisStorage } from '@latchhook/redis';
import { startFakeReceiver, turnableClock, virtualTime } from '@latchhook/testkit';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ISSUER } from '../support/apps/test-app.ts';
import { testUsers } from '../support/clients/users.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { ACCOUNT_ID, ANY_URL, DRAIN, type Sender, startSender } from './start-sender.ts';
import { startTelemetryRecorder, type TelemetryRecorder } from './telemetry-recorder.ts';

/** Loses the first `complete` on its way to the store. Returns the list of reported ends. */
function loseFirstComplete(deliveries: DeliveryStore): readonly AttemptEnd[] {
  const complete = deliveries.complete.bind(deliveries);
  const reported: AttemptEnd[] = [];
  deliveries.complete = async (ends, limits) => {
    const isFirst = reported.length === 0;
    reported.push(...ends);
    if (isFirst) throw new Error('no connection');
    return complete(ends, limits);
  };
  return reported;
}

/** Like `@opentelemetry/instrumentation-undici`, begins a span for each request and sends its trace headers. */
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

/** Runs `work` in the span of a request. */
function inRequest<Result>({ providers }: TelemetryRecorder, work: () => Result): Result {
  const request = providers.tracerProvider.getTracer('app').startSpan('GET /');
  return context.with(trace.setSpan(context.active(), request), work);
}

async function expectUntraced({ receiver, spans }: Sender, attempts: number): Promise<void> {
  await expect.poll(spans).toHaveLength(attempts);
  for (const span of spans()) {
    expect(span).toMatchObject({ name: 'deliver webhook', parentSpanContext: undefined });
  }
  expect(receiver.received()).toHaveLength(attempts);
  for (const { headers } of receiver.received()) expect(headers).not.toHaveProperty('traceparent');
}

describe('instrumented deliveries', () => {
  it('have a span and a duration for each attempt, with the ids but without the address', async () => {
    const { deliver, spans, points, webhookId, receiver } = await startSender();
    const deliveryId = await deliver();
    const outcome = { 'latchhook.delivery.outcome': 'delivered', 'http.response.status_code': 204 };
    expect(await points('latchhook.delivery.duration')).toEqual([
      { attributes: outcome, count: 1 },
    ]);
    expect(spans()).toHaveLength(1);
    const [span] = spans();
    expect(span).toMatchObject({
      name: 'deliver webhook',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(span?.attributes).toEqual({
      ...outcome,
      'http.request.method': 'POST',
      'latchhook.webhook.id': webhookId,
      'latchhook.delivery.id': deliveryId,
      'latchhook.delivery.attempt': 1,
      'messaging.message.id': deliveryId,
      'messaging.destination.name': 'Contact.Added',
    });
    expect(JSON.stringify(span?.attributes)).not.toContain(new URL(receiver.url).host);
    expect(receiver.received()[0]?.headers).not.toHaveProperty('traceparent');
    expect(await points('latchhook.delivery.not_started')).toEqual([]);
  });

  it.each([
    [410, 'failed'],
    [500, 'retry'],
  ])('have the reason in the span of an attempt that failed with %d', async (status, outcome) => {
    const { deliver, spans } = await startSender({ answers: status });
    await deliver();
    expect(spans()).toMatchObject([
      {
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'latchhook.delivery.outcome': outcome, 'error.type': String(status) },
      },
    ]);
  });

  it('count an attempt once even if its end is reported twice', async () => {
    const time = virtualTime();
    const storage = memoryStorage({ clock: time.clock });
    const reported = loseFirstComplete(storage.deliveries);
    const { publish, spans } = await startSender({ ...time, storage });
    await publish();
    await expect.poll(() => reported).toHaveLength(1);
    await time.advance(1_000);
    await expect.poll(() => reported).toHaveLength(2);
    expect(spans()).toHaveLength(1);
  });

  it('have the id and the event of the span of their publication', async () => {
    const sender = await startSender();
    const { events } = instrument(sender.auth, sender.providers);
    await events.publish('Contact.Added', { accountId: ACCOUNT_ID, data: { contactId: 'c_1' } });
    await expect.poll(sender.spans).toHaveLength(2);
    const spans = sender.spans().map(({ name, attributes }) => ({
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

  it('are counted as not started if their claim returned too late', async () => {
    const clock = turnableClock();
    const storage = memoryStorage({ clock });
    const claim = storage.deliveries.claim.bind(storage.deliveries);
    let late = 2;
    storage.deliveries.claim = async (request) => {
      const claimed = await claim(request);
      if (claimed.attempts.length > 0 && late > 0) {
        late -= 1;
        clock.advance(1_000);
      }
      return claimed;
    };
    const { deliver, points, spans, receiver } = await startSender({ storage, clock });
    await deliver();
    expect(await points('latchhook.delivery.not_started')).toEqual([{ attributes: {}, count: 2 }]);
    expect(receiver.received()).toHaveLength(1);
    expect(spans()).toMatchObject([{ attributes: { 'latchhook.delivery.attempt': 1 } }]);
  });

  it('have duration buckets around the timeout of an attempt', async () => {
    const { deliver, boundaries } = await startSender();
    await deliver();
    expect((await boundaries('latchhook.delivery.duration')).slice(-3)).toEqual([10, 15, 20]);
  });

  it.each<[string, () => Storage]>([
    ['memory', () => memoryStorage()],
    ['Redis', () => redisStorage(connect(), { keyPrefix: uniquePrefix() })],
  ])(
    'on %s send no traceparent to receivers and have no parent span',
    async (_name, openStorage) => {
      const sender = await startSender({ storage: openStorage(), answers: [500, 204] });
      instrumentUndici(sender);
      await inRequest(sender, async () => {
        await sender.publish();
        await sender.receiver.waitFor(1);
        await sender.publish();
      });
      await sender.receiver.waitFor(2);
      await expectUntraced(sender, 2);
    },
  );

  it('have no parent span when a request drains them', async () => {
    const storage = memoryStorage();
    // Without notifications and timers, only drain() makes the worker claim.
    Object.assign(storage.deliveries, { subscribe: undefined });
    const sender = await startSender({ storage, timers: virtualTime().timers });
    instrumentUndici(sender);
    await sender.publish();
    await inRequest(sender, () => sender.auth.drainDeliveries(DRAIN));
    await expectUntraced(sender, 1);
  });

  it('are measured in a separate worker process', async () => {
    const encryption = [randomBytes(32)] as const;
    const recorder = startTelemetryRecorder();
    const storage = redisStorage(connect(), { keyPrefix: uniquePrefix() });
    const receiver = await startFakeReceiver();
    const clock = turnableClock();
    const auth = createAuth({
      issuer: ISSUER,
      environment: 'development',
      users: await testUsers(),
      storage,
      keys: { encryption },
      webhooks: { ...ANY_URL, worker: false },
    });
    const worker = createDeliveryWorker({
      ...{ storage, clock },
      keys: { encryption },
      webhooks: { ...ANY_URL, worker: instrumentDelivery(inProcessWorker(), recorder.providers) },
    });
    onTestFinished(async () => {
      await receiver.close();
      await worker.close();
      await auth.close();
    });
    await auth.webhooks.create(ACCOUNT_ID, { event: 'Contact.Added', url: receiver.url });
    await auth.events.publish('Contact.Added', { accountId: ACCOUNT_ID, data: {} });
    expect(await worker.drain(DRAIN)).toEqual({ outcome: 'drained' });
    expect(recorder.spans().map(({ name }) => name)).toEqual(['deliver webhook']);
    // A closed worker sends nothing.
    await worker.close();
    await auth.events.publish('Contact.Added', { accountId: ACCOUNT_ID, data: {} });
    expect(await worker.drain(DRAIN)).toEqual({ outcome: 'drained' });
    expect(receiver.received()).toHaveLength(1);
  });

  it('do not suppress spans of security event listeners', async () => {
    const recorder = startTelemetryRecorder();
    const tracer = recorder.providers.tracerProvider.getTracer('app');
    const onSecurityEvent = (): void => tracer.startSpan('alert').end();
    const { deliver } = await startSender({ recorder, answers: 410, onSecurityEvent });
    const before = recorder.spans().length;
    await deliver();
    const names = recorder.spans().map(({ name }) => name);
    expect(names.slice(before)).toContain('alert');
  });
});
