import { memoryStorage } from '@latchhook/core';
import { gaugeDeliveries } from '@latchhook/opentelemetry';
import { turnableClock } from '@latchhook/testkit';
import { expect, it } from 'vitest';
import {
  LIMITS,
  newMessage,
  newWebhook,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { startTelemetryRecorder } from './telemetry-recorder.ts';

it('says how many deliveries are to come, and how late they are, while nobody sends', async () => {
  const { points, providers } = startTelemetryRecorder();
  const clock = turnableClock();
  const { webhooks, deliveries } = withWebhooks(memoryStorage({ clock }));
  await webhooks.create(newWebhook('w1'), LIMITS);
  gaugeDeliveries({ deliveries }, providers);
  expect(await points('latchhook.delivery.lag')).toEqual([{ attributes: {}, count: 0 }]);
  for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id));
  clock.advance(90_000);
  expect(await points('latchhook.delivery.pending')).toEqual([{ attributes: {}, count: 2 }]);
  expect(await points('latchhook.delivery.lag')).toEqual([{ attributes: {}, count: 90 }]);
});

it('says nothing while the storage does not answer, or if it keeps no deliveries', async () => {
  const { points, providers } = startTelemetryRecorder();
  const { deliveries } = withWebhooks(memoryStorage());
  deliveries.lagMs = () => Promise.reject(new Error('no connection'));
  gaugeDeliveries({ deliveries }, providers);
  gaugeDeliveries({}, providers);
  expect(await points('latchhook.delivery.pending')).toEqual([]);
  expect(await points('latchhook.delivery.lag')).toEqual([]);
});
