import { randomBytes } from 'node:crypto';
import { ConfigError, memoryStorage } from '@latchhook/core';
import { createDeliveryContext } from '@latchhook/core/delivery';
import { describe, expect, it } from 'vitest';
import { type BullmqDeliveryOptions, bullmqDelivery } from './bullmq/bullmq-engine.ts';
import { createDeliveryWorker, type DeliveryWorkerOptions } from './create-delivery-worker.ts';
import {
  type InProcessDeliveryOptions,
  inProcessDelivery,
} from './in-process/in-process-engine.ts';

const connection = { host: 'localhost' };

function refused(make: () => unknown): { code: string; message: string } {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

/** As an integrator without a compiler would write it. */
const bullmq = (options?: unknown) => bullmqDelivery(options as BullmqDeliveryOptions);
const inProcess = (options?: unknown) => inProcessDelivery(options as InProcessDeliveryOptions);
const worker = (options?: unknown) => createDeliveryWorker(options as DeliveryWorkerOptions);

describe('the options of both engines', () => {
  it.each([
    ['option_unknown', { concurency: 5 }, /knows no "concurency"; it takes: concurrency,/],
    ['option_out_of_bounds', { concurrency: 0 }, /concurrency must be an integer from 1/],
    ['option_out_of_bounds', { sweep: { intervalMs: 0 } }, /sweep\.intervalMs must be an integer/],
    ['option_out_of_bounds', { sweep: { graceMs: Number.NaN } }, /sweep\.graceMs must be an/],
    ['option_out_of_bounds', { sweep: { putOffMs: -1 } }, /sweep\.putOffMs must be an integer/],
    ['option_unknown', { sweep: { interval: 5 } }, /sweep knows no "interval"/],
    ['options_invalid', { dispatcher: 'http://proxy:3128' }, /new ProxyAgent\(url\)/],
  ])('refuse with %s what they cannot work by: %o', (code, options, message) => {
    for (const error of [
      refused(() => inProcess(options)),
      refused(() => bullmq({ connection, ...options })),
    ]) {
      expect(error.code).toBe(code);
      expect(error.message).toMatch(message);
    }
  });

  it('take a pause of the sweeper that suits a test', () => {
    expect(() => inProcess({ sweep: { intervalMs: 1, graceMs: 0, putOffMs: 0 } })).not.toThrow();
  });
});

describe('the options of bullmqDelivery', () => {
  it.each([
    ['nothing', undefined],
    ['a URL', { connection: 'redis://localhost' }],
    ['the options of a connection, bare', { host: 'localhost' }],
  ])('say how to give a connection where they are %s', (_what, options) => {
    expect(refused(() => bullmq(options)).message).toMatch(/bullmqDelivery\(\{ connection: redis/);
  });

  it.each([
    ['options_invalid', { work: 'false' }],
    ['options_invalid', { queueName: 'a:b' }],
    ['options_invalid', { prefix: '' }],
    ['option_out_of_bounds', { keepDead: -1 }],
    ['option_out_of_bounds', { deadlineMs: 0 }],
  ])('refuse with %s what BullMQ could not be used by: %o', (code, options) => {
    expect(refused(() => bullmq({ connection, ...options })).code).toBe(code);
  });
});

describe('the options of createDeliveryWorker', () => {
  const good = {
    storage: memoryStorage(),
    keys: { encryption: [randomBytes(32)] },
    webhooks: { delivery: bullmq({ connection, work: false }) },
  };

  it('refuse an engine that only publishes, with which nobody would send', () => {
    const error = refused(() => worker(good));
    expect(error.code).toBe('webhooks_invalid');
    expect(error.message).toMatch(/without work: false/);
    expect(() => createDeliveryContext(good)).not.toThrow();
  });

  it('name whoever was given one that is not known', () => {
    const misspelt = { ...good, webhook: {} };
    expect(refused(() => worker(misspelt)).message).toMatch(/^createDeliveryWorker knows no "webh/);
    expect(refused(() => createDeliveryContext(misspelt)).message).toMatch(
      /^createDeliveryContext knows no "webhook"/,
    );
    expect(refused(() => worker()).message).toMatch(/^createDeliveryWorker takes an object of/);
  });

  it.each([
    ['keys_invalid', {}],
    ['webhooks_invalid', { ...good, webhooks: {} }],
    ['storage_invalid', { ...good, storage: undefined }],
  ])('are refused with %s, not with a TypeError, where a part is missing', (code, options) => {
    expect(refused(() => worker(options)).code).toBe(code);
  });
});
