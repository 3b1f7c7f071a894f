import { randomBytes } from 'node:crypto';
import { memoryStorage } from '@latchhook/core';
import { describe, expect, it } from 'vitest';
import { createDeliveryWorker, type DeliveryWorkerOptions } from './create-delivery-worker.ts';
import { inProcessWorker } from './in-process-worker.ts';
import type { SendingOptions } from './sending-options.ts';

describe('inProcessWorker', () => {
  it.each([
    ['option_unknown', { concurency: 5 }],
    ['options_invalid', null],
    ['options_invalid', { dispatcher: {} }],
    ['option_out_of_bounds', { concurrency: 0 }],
    ['option_out_of_bounds', { concurrency: 1.5 }],
    ['option_out_of_bounds', { concurrency: 10_001 }],
    ['option_out_of_bounds', { closeMs: -1 }],
    ['option_out_of_bounds', { closeMs: 60_001 }],
  ])('throws %s for the options %j', (code, options) => {
    expect(() => inProcessWorker(options as SendingOptions)).toThrow(
      expect.objectContaining({ name: 'ConfigError', code }),
    );
  });
});

describe('createDeliveryWorker', () => {
  it('rejects an inProcessWorker that is not called, with an error that says so', () => {
    const options = {
      storage: memoryStorage(),
      keys: { encryption: [randomBytes(32)] },
      webhooks: { worker: inProcessWorker },
    };
    const create = () => createDeliveryWorker(options as unknown as DeliveryWorkerOptions);
    expect(create).toThrow('must be inProcessWorker(): call it [webhooks_invalid]');
  });

  it('rejects an invalid storage, and an unknown option', () => {
    const options = { storage: {}, keys: { encryption: [Buffer.alloc(32, 7)] } };
    const create = (webhooks: unknown, storage: unknown) =>
      createDeliveryWorker({ ...options, storage, webhooks } as DeliveryWorkerOptions);
    expect(() => create(undefined, {})).toThrow('[storage_invalid]');
    expect(() => create({ maxInFlight: 1 }, {})).toThrow('[option_unknown]');
  });
});
