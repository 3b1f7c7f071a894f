import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDeliveryContext } from './create-delivery-context.ts';
import type { DeliveryContextOptions } from './delivery-context-options.ts';
import type { ConfigErrorCode } from './errors.ts';
import { createSecretRing } from './keys/secret-ring.ts';
import type { TimedSecurityEvent } from './ports/security-events.ts';
import { memoryStorage } from './storage/memory/memory-storage.ts';
import { warningsOf } from './warnings-of.test.support.ts';
import { createWebhookSecretCipher } from './webhooks/secrets/webhook-secret-cipher.ts';

const key = randomBytes(32);
const VALID: DeliveryContextOptions = {
  storage: memoryStorage(),
  keys: { encryption: [key] },
};

function create(change: Partial<Record<string, unknown>> = {}) {
  return createDeliveryContext({ ...VALID, ...change } as DeliveryContextOptions);
}

describe('the context of a process that only sends', () => {
  it('decrypts webhook secrets that createAuth has encrypted under the same keys', () => {
    const ref = { accountId: 1, webhookId: 'wh_a' };
    const encrypted = createWebhookSecretCipher(createSecretRing([key])).encrypt(
      ref,
      Buffer.from('secret'),
    );
    const secrets = create().decryptSecrets(ref, [{ encrypted, retiresAtMs: null }]);
    expect(secrets.map(String)).toEqual(['secret']);
  });

  it('resolves the webhook options of createAuth, with the same defaults', () => {
    const webhooks = { allowHttp: true, maxInFlightPerWebhook: 3 };
    expect(create({ webhooks }).policy).toMatchObject({
      allowHttp: true,
      allowPrivateAddresses: false,
      maxInFlightPerWebhook: 3,
      leaseMs: 20_000,
    });
  });

  it('reports a repeated storage fault once, to the listener of its options', async () => {
    const events: TimedSecurityEvent[] = [];
    const { deliveries } = memoryStorage();
    const broken = Object.assign(Object.create(deliveries), {
      stats: () => Promise.reject(new Error('no storage')),
    });
    const context = create({
      storage: { deliveries: broken },
      clock: { nowMs: () => 7 },
      onSecurityEvent: (event: TimedSecurityEvent) => events.push(event),
    });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(context.deliveries.stats()).rejects.toMatchObject({
        code: 'temporarily_unavailable',
      });
    }
    expect(events).toEqual([
      { type: 'fault', where: 'storage', error: expect.any(Error), atMs: 7 },
    ]);
  });

  it('warns of the memory storage, but not of a shared storage', () => {
    expect(warningsOf(() => create())).toEqual(['LATCHHOOK_STORAGE']);
    const { publish, claim, complete, redeliver, redeliverFailed, list, stats } =
      memoryStorage().deliveries;
    const shared = { publish, claim, complete, redeliver, redeliverFailed, list, stats };
    expect(warningsOf(() => create({ storage: { deliveries: shared } }))).toEqual([]);
  });

  it('requires only the encryption keys, and accepts all keys of createAuth', () => {
    for (const keys of [undefined, null, 'secret']) {
      expect(() => create({ keys })).toThrow(/^keys must be \{ encryption: \[\.\.\.\] \}/);
    }
    const allKeys = {
      signing: 'of createAuth',
      refreshSecrets: ['of createAuth'],
      encryption: [key],
    };
    expect(() => create({ keys: allKeys })).not.toThrow();
  });

  it.each<[code: ConfigErrorCode, change: Partial<Record<string, unknown>>]>([
    ['option_unknown', { storge: {} }],
    ['option_unknown', { webhooks: { allowHTTP: true } }],
    ['keys_invalid', { keys: undefined }],
    ['encryption_key_missing', { keys: {} }],
    ['encryption_key_too_short', { keys: { encryption: ['short'] } }],
    ['webhooks_invalid', { webhooks: null }],
    ['webhooks_invalid', { webhooks: { allowHttp: 'yes' } }],
    ['option_out_of_bounds', { webhooks: { maxInFlightPerWebhook: 0 } }],
    ['storage_invalid', { storage: undefined }],
    ['storage_invalid', { storage: {} }],
    ['clock_invalid', { clock: Date }],
    ['on_security_event_invalid', { onSecurityEvent: 'console' }],
  ])('rejects with %s: %o', (code, change) => {
    expect(() => create(change)).toThrow(expect.objectContaining({ name: 'ConfigError', code }));
  });
});
