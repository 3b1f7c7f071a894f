import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../day.ts';
import { ConfigError, type ConfigErrorCode } from '../errors.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import type { WebhookOptions } from '../webhooks/webhook-options.ts';
import { resolveWebhooks } from './resolve-webhooks.ts';

/** Options as an integrator without types may write them. */
type Mistake = Partial<Record<string, unknown>>;

function resolve(webhooks: Mistake = {}, storage: Mistake = { ...memoryStorage() }) {
  const options = { worker: false, ...webhooks } as WebhookOptions;
  return resolveWebhooks(options, storage as unknown as Storage);
}

describe('the option group webhooks', () => {
  it('requires only a worker, and has defaults for all other options', () => {
    const worker = () => ({ drain: () => {}, close: () => {} });
    expect(resolve({ worker }).startWorker).toBe(worker);
    expect(resolve().policy).toEqual({
      maxWebhooksPerAccount: 100,
      retentionMs: 30 * DAY_MS,
      idempotencyMs: DAY_MS,
      maxQueuedPerWebhook: 100_000,
      maxInFlightPerWebhook: 10,
      maxInFlightPerAccount: 100,
      disableAfterMs: 5 * DAY_MS,
      secretOverlapMs: DAY_MS,
      leaseMs: 20_000,
      maxStalledAttempts: 5,
      allowHttp: false,
      allowPrivateAddresses: false,
      allowedPorts: [443, 8443],
    });
  });

  it.each<[ports: unknown, webhooks: Mistake]>([
    [[443, 8443, 80, 8080], { allowHttp: true }],
    ['any', { allowPrivateAddresses: true }],
    ['any', { allowedPorts: 'any' }],
    [[443], { allowedPorts: [443], allowHttp: true, allowPrivateAddresses: true }],
  ])('allows the ports %j with %j', (ports, webhooks) => {
    expect(resolve(webhooks).policy.allowedPorts).toEqual(ports);
  });

  it.each<[code: ConfigErrorCode, webhooks: Mistake]>([
    ['webhooks_invalid', { worker: undefined }],
    ['webhooks_invalid', { worker: 'bullmq' }],
    ['webhooks_invalid', { worker: true }],
    ['webhooks_invalid', { worker: { drain() {}, close() {} } }],
    ['webhooks_invalid', { allowHttp: 'false' }],
    ['webhooks_invalid', { allowHttp: null }],
    ['webhooks_invalid', { allowPrivateAddresses: 1 }],
    ['webhooks_invalid', { allowedPorts: 443 }],
    ['webhooks_invalid', { allowedPorts: [] }],
    ['webhooks_invalid', { allowedPorts: ['443'] }],
    ['webhooks_invalid', { allowedPorts: [0] }],
    ['webhooks_invalid', { allowedPorts: [65_536] }],
    ['webhooks_invalid', { allowedPorts: null }],
    ['webhooks_invalid', { events: null }],

    ['option_out_of_bounds', { maxPerAccount: 0 }],
    ['option_out_of_bounds', { maxPerAccount: '100' }],
    ['option_out_of_bounds', { retentionDays: 3 }],
    ['option_out_of_bounds', { retentionDays: 366 }],
    ['option_out_of_bounds', { maxQueuedPerWebhook: 0 }],
    ['option_out_of_bounds', { maxInFlightPerWebhook: 1_001 }],
    ['option_out_of_bounds', { maxInFlightPerAccount: 0 }],
    ['option_out_of_bounds', { disableAfterDays: 0.5 }],
  ])('is rejected with %s: %o', (code, webhooks) => {
    expect(() => resolve(webhooks)).toThrow(expect.objectContaining({ name: 'ConfigError', code }));
  });

  it.each<[part: string, change: Mistake]>([
    ['lacks webhooks', { webhooks: undefined }],
    ['lacks deliveries', { deliveries: undefined }],
    ['has deliveries without methods', { deliveries: {} }],
  ])('is rejected with storage_invalid if the storage %s', (_, change) => {
    expect(() => resolve({}, { ...memoryStorage(), ...change })).toThrow(
      expect.objectContaining({ name: 'ConfigError', code: 'storage_invalid' }),
    );
  });

  it('is rejected for an unknown worker by an error that names the valid ones', () => {
    expect(() => resolve({ worker: 'bullmq' })).toThrow(
      new ConfigError(
        'webhooks_invalid',
        'webhooks.worker must be inProcessWorker() of @latchhook/delivery, or false where other processes send',
      ),
    );
  });

  it('is rejected by an error that names the methods that the storage lacks', () => {
    const { webhooks, ...storage } = memoryStorage();
    expect(webhooks).toBeDefined();
    expect(() => resolve({}, storage)).toThrow('it lacks webhooks.create, webhooks.find');
  });

  it('is rejected by an error that names the methods that the outbox lacks', () => {
    const { deliveries, ...storage } = memoryStorage();
    const incomplete = {
      ...storage,
      deliveries: Object.assign(Object.create(deliveries), { outbox: {} }),
    };
    expect(() => resolve({}, incomplete)).toThrow('lacks deliveries.outbox.publishWithin');
  });
});
