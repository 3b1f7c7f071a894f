import { describe, expect, it } from 'vitest';
import { ConfigError, type ConfigErrorCode } from '../errors.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import type { WebhookOptions } from '../webhooks/webhook-options.ts';
import { resolveWebhooks } from './resolve-webhooks.ts';

/** What an integrator without types may write. */
type Mistake = Partial<Record<string, unknown>>;

function resolve(webhooks: Mistake = {}, storage: Mistake = { ...memoryStorage() }) {
  const given = { worker: false, ...webhooks } as WebhookOptions;
  return resolveWebhooks(given, storage as unknown as Storage);
}

describe('the option group webhooks', () => {
  it('requires a worker alone, and has defaults for all else', () => {
    const worker = () => ({ drain: () => {}, close: () => {} });
    expect(resolve({ worker }).worker).toBe(worker);
    expect(resolve().policy).toEqual({
      maxWebhooksPerAccount: 100,
      retentionMs: 30 * 86_400_000,
      idempotencyMs: 86_400_000,
      maxQueuedPerWebhook: 100_000,
      maxInFlightPerWebhook: 10,
      maxInFlightPerAccount: 100,
      disableAfterMs: 5 * 86_400_000,
      secretOverlapMs: 86_400_000,
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

  it.each<[code: ConfigErrorCode, webhooks: Mistake, storage?: Mistake]>([
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

    ['storage_invalid', {}, { ...memoryStorage(), webhooks: undefined }],
    ['storage_invalid', {}, { ...memoryStorage(), deliveries: undefined }],
    ['storage_invalid', {}, { ...memoryStorage(), deliveries: {} }],
  ])('rejects with %s: %j %j', (code, webhooks, storage) => {
    expect(() => resolve(webhooks, storage)).toThrow(
      expect.objectContaining({ name: 'ConfigError', code }),
    );
  });

  it('names the valid workers in the error', () => {
    expect(() => resolve({ worker: 'bullmq' })).toThrow(
      new ConfigError(
        'webhooks_invalid',
        'webhooks.worker must be inProcessWorker() of @latchhook/delivery, or false where other processes send',
      ),
    );
  });

  it('names the methods that a storage lacks', () => {
    const { webhooks, ...storage } = memoryStorage();
    expect(webhooks).toBeDefined();
    expect(() => resolve({}, storage)).toThrow('it lacks webhooks.create, webhooks.find');
  });

  it('names the methods that an outbox lacks', () => {
    const { deliveries, ...storage } = memoryStorage();
    const given = {
      ...storage,
      deliveries: Object.assign(Object.create(deliveries), { outbox: {} }),
    };
    expect(() => resolve({}, given)).toThrow('lacks deliveries.outbox.publishWithin');
  });
});
