import { describe, expect, it } from 'vitest';
import { systemClock } from '../../ports/clock.ts';
import { type DeliveryContextDeps, deliveryContext } from './delivery-context.ts';

const ref = { accountId: 1, webhookId: 'wh_a' };
const parts = {
  deliveries: {},
  clock: systemClock,
  box: {
    open: (_ref: unknown, sealed: string) => (sealed === 'lost' ? null : Buffer.from(sealed)),
  },
} as unknown as DeliveryContextDeps;

function sealed(...texts: string[]) {
  return texts.map((text) => ({ sealed: text, retiresAtMs: null }));
}

describe('the secrets of a webhook, for whoever sends', () => {
  it('are opened in their order', () => {
    const secrets = deliveryContext(parts).openSecrets(ref, sealed('new', 'old'));
    expect(secrets.map(String)).toEqual(['new', 'old']);
  });

  it('are a fault where one of them cannot be opened, which names the webhook alone', () => {
    expect(() => deliveryContext(parts).openSecrets(ref, sealed('new', 'lost'))).toThrow(
      expect.objectContaining({
        name: 'AuthError',
        code: 'server_error',
        message: 'no key of keys.encryption opens a secret of webhook wh_a',
      }),
    );
  });
});
