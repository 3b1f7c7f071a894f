import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ConfigError, type ConfigErrorCode } from '../errors.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { warningsOf } from '../warnings-of.test.support.ts';
import { unconnectedEngine } from '../webhooks/deliveries/unconnected-engine.test.support.ts';
import type { WebhookOptions } from '../webhooks/webhook-options.ts';
import { type ResolveWebhooksDeps, resolveWebhooks } from './resolve-webhooks.ts';

const deps: ResolveWebhooksDeps = { storage: memoryStorage(), environment: 'production' };

/** What an integrator without types may write. */
type Mistake = Partial<Record<string, unknown>>;

function resolve(webhooks: Mistake = {}, around: Mistake = {}) {
  const given = { delivery: unconnectedEngine, ...webhooks } as WebhookOptions;
  return resolveWebhooks(given, { ...deps, ...around } as ResolveWebhooksDeps);
}

describe('the option group webhooks', () => {
  it('takes an engine alone, without a warning, and fills in the rest', () => {
    expect(warningsOf(() => resolve())).toEqual([]);
    expect(resolve().policy).toEqual({
      maxWebhooksPerAccount: 100,
      retentionMs: 30 * 86_400_000,
      idempotencyMs: 86_400_000,
      maxQueuedPerWebhook: 100_000,
      maxInFlightPerWebhook: 10,
      disableAfterMs: 5 * 86_400_000,
      secretOverlapMs: 86_400_000,
      leaseMs: 20_000,
      maxLostAttempts: 5,
      rateMarginMs: 25,
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
  ])('allows the ports %j by %j', (ports, webhooks) => {
    expect(resolve(webhooks).policy.allowedPorts).toEqual(ports);
  });

  it('takes schemas of any library that speaks Standard Schema', () => {
    const schema = v.object({ contactId: v.string() });
    const { schemas } = resolve({ schemas: { 'Contact.Added': schema } });
    expect([...schemas]).toEqual([['Contact.Added', schema]]);
  });

  it.each<[code: ConfigErrorCode, webhooks: Mistake, around?: Mistake]>([
    ['webhooks_invalid', { delivery: undefined }],
    ['webhooks_invalid', { delivery: 'bullmq' }],
    ['webhooks_invalid', { delivery: { connect() {} } }],
    ['webhooks_invalid', { delivery: { ...unconnectedEngine, connect: undefined } }],
    ['webhooks_invalid', { delivery: { ...unconnectedEngine, durable: 'yes' } }],
    ['webhooks_invalid', { delivery: { ...unconnectedEngine, sends: 'yes' } }],
    ['webhooks_invalid', { allowHttp: 'false' }],
    ['webhooks_invalid', { allowHttp: null }],
    ['webhooks_invalid', { allowPrivateAddresses: 1 }],
    ['webhooks_invalid', { allowedPorts: 443 }],
    ['webhooks_invalid', { allowedPorts: [] }],
    ['webhooks_invalid', { allowedPorts: ['443'] }],
    ['webhooks_invalid', { allowedPorts: [0] }],
    ['webhooks_invalid', { allowedPorts: [65_536] }],
    ['webhooks_invalid', { allowedPorts: null }],
    ['webhooks_invalid', { schemas: null }],
    ['webhooks_invalid', { schemas: [] }],
    ['webhooks_invalid', { schemas: { 'Contact.Add': v.object({}) } }],
    ['webhooks_invalid', { schemas: { 'Webhook.Ping': v.object({}) } }],
    ['webhooks_invalid', { schemas: { 'Contact.Added': { type: 'object' } } }],
    ['webhooks_invalid', { schemas: { 'Contact.Added': undefined } }],

    ['option_out_of_bounds', { maxPerAccount: 0 }],
    ['option_out_of_bounds', { maxPerAccount: '100' }],
    ['option_out_of_bounds', { retentionDays: 3 }],
    ['option_out_of_bounds', { retentionDays: 366 }],
    ['option_out_of_bounds', { maxQueuedPerWebhook: 0 }],
    ['option_out_of_bounds', { maxInFlightPerWebhook: 1_001 }],
    ['option_out_of_bounds', { disableAfterDays: 0.5 }],

    ['storage_invalid', {}, { storage: { ...memoryStorage(), webhooks: undefined } }],
    ['storage_invalid', {}, { storage: { ...memoryStorage(), deliveries: undefined } }],
    ['storage_invalid', {}, { storage: { ...memoryStorage(), deliveries: {} } }],
  ])('refuses with %s: %j %j', (code, webhooks, around) => {
    expect(() => resolve(webhooks, around)).toThrow(
      expect.objectContaining({ name: 'ConfigError', code }),
    );
  });

  it.each([
    [undefined, 'name (string), durable (boolean), sends (boolean), connect (function)'],
    [{ ...unconnectedEngine, sends: undefined }, 'sends (boolean)'],
    [
      { ...unconnectedEngine, durable: 'yes', connect: {} },
      'durable (boolean), connect (function)',
    ],
  ])('names what an engine lacks: %j', (delivery, missing) => {
    expect(() => resolve({ delivery })).toThrow(
      new ConfigError(
        'webhooks_invalid',
        `webhooks.delivery must be an engine, such as inProcessDelivery() or bullmqDelivery({ connection }): it lacks ${missing}`,
      ),
    );
  });

  it('names what a storage lacks', () => {
    const { webhooks, ...storage } = memoryStorage();
    expect(webhooks).toBeDefined();
    expect(() => resolve({}, { storage })).toThrow('it lacks webhooks.create, webhooks.find');
  });

  it('names what an outbox lacks, as one of a release before may', () => {
    const { deliveries, ...storage } = memoryStorage();
    const outbox = { publishWithin() {}, takeCommitted() {}, watch() {} };
    const given = { ...storage, deliveries: Object.assign(Object.create(deliveries), { outbox }) };
    expect(() => resolve({}, { storage: given })).toThrow(
      'lacks deliveries.outbox.countPending, deliveries.outbox.lagMs',
    );
  });

  it('warns of an engine that is not durable, only in production', () => {
    const webhooks = { delivery: { ...unconnectedEngine, durable: false } };
    expect(warningsOf(() => resolve(webhooks))).toEqual(['LATCHHOOK_DELIVERY']);
    expect(warningsOf(() => resolve(webhooks, { environment: 'development' }))).toEqual([]);
  });
});
