import { memoryStorage } from '@latchhook/core';
import type { ClaimRequest } from '@latchhook/core/storage';
import { gaugeDeliveries } from '@latchhook/opentelemetry';
import { postgresStorage } from '@latchhook/postgres';
import { turnableClock } from '@latchhook/testkit';
import { expect, it } from 'vitest';
import { connect, HAS_POSTGRES, openSchema } from '../postgres/open-schema.ts';
import { LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { startTelemetryRecorder } from './telemetry-recorder.ts';

const CLAIM_ONE: ClaimRequest = {
  limit: 1,
  leaseMs: 20_000,
  rateMarginMs: 0,
  maxInFlightPerWebhook: 10,
  maxInFlightPerAccount: 100,
  maxStalledAttempts: 5,
};

it('gauges show pending deliveries and their age while nobody sends', async () => {
  const { points, providers } = startTelemetryRecorder();
  const clock = turnableClock();
  const { webhooks, deliveries } = memoryStorage({ clock });
  await webhooks.create(newWebhook('w1'), LIMITS);
  gaugeDeliveries({ deliveries }, providers);
  expect(await points('latchhook.delivery.lag')).toEqual([{ attributes: {}, count: 0 }]);
  for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id));
  clock.advance(90_000);
  expect(await points('latchhook.delivery.pending')).toEqual([{ attributes: {}, count: 2 }]);
  expect(await points('latchhook.delivery.lag')).toEqual([{ attributes: {}, count: 90 }]);
});

it('gauges have no value while the storage fails, or if there are no deliveries', async () => {
  const { points, providers } = startTelemetryRecorder();
  const { deliveries } = memoryStorage();
  deliveries.stats = () => Promise.reject(new Error('no connection'));
  gaugeDeliveries({ deliveries }, providers);
  gaugeDeliveries({}, providers);
  expect(await points('latchhook.delivery.pending')).toEqual([]);
  expect(await points('latchhook.delivery.lag')).toEqual([]);
});

it.skipIf(!HAS_POSTGRES)(
  'gauges count a message in the outbox as one delivery until it is claimed',
  async () => {
    const { points, providers } = startTelemetryRecorder();
    const clock = turnableClock();
    const [pool, schema] = [connect(), await openSchema()];
    const { webhooks, deliveries } = postgresStorage(pool, {
      schema,
      clock,
      deadlineMs: PATIENT_MS,
    });
    const outbox = deliveries.outbox ?? expect.fail();
    for (const id of ['w1', 'w2']) await webhooks.create(newWebhook(id), LIMITS);
    gaugeDeliveries({ deliveries }, providers);
    const pointCounts = async () => {
      const gauges = ['latchhook.delivery.pending', 'latchhook.delivery.lag'];
      return Promise.all(
        gauges.map(async (gauge) => (await points(gauge)).map(({ count }) => count)),
      );
    };
    expect(await pointCounts()).toEqual([[0], [0]]);
    await outbox.publishWithin(pool, newMessage('m1'));
    clock.advance(30_000);
    await outbox.publishWithin(pool, newMessage('m2'));
    clock.advance(60_000);
    expect(await pointCounts()).toEqual([[2], [90]]);
    // The claim publishes both messages, each to two webhooks.
    await deliveries.claim(CLAIM_ONE);
    expect(await pointCounts()).toEqual([[4], [0]]);
  },
);
