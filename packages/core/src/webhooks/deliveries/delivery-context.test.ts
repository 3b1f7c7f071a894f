import { describe, expect, it } from 'vitest';
import { systemClock } from '../../ports/clock.ts';
import { type DeliveryContextDeps, deliveryContext } from './delivery-context.ts';

const ref = { accountId: 1, webhookId: 'wh_a' };
const deps = {
  deliveries: {},
  clock: systemClock,
  cipher: {
    decrypt: (_ref: unknown, encrypted: string) =>
      encrypted === 'lost' ? null : Buffer.from(encrypted),
  },
} as unknown as DeliveryContextDeps;

function encrypted(...texts: string[]) {
  return texts.map((text) => ({ encrypted: text, retiresAtMs: null }));
}

describe('decryptSecrets()', () => {
  it('decrypts the secrets of a webhook in their order', () => {
    const secrets = deliveryContext(deps).decryptSecrets(ref, encrypted('new', 'old'));
    expect(secrets.map(String)).toEqual(['new', 'old']);
  });

  it('throws server_error with the id of the webhook, but not its account, if a secret cannot be decrypted', () => {
    expect(() => deliveryContext(deps).decryptSecrets(ref, encrypted('new', 'lost'))).toThrow(
      expect.objectContaining({
        name: 'AuthError',
        code: 'server_error',
        message: 'no key of keys.encryption decrypts a secret of webhook wh_a',
      }),
    );
  });
});
