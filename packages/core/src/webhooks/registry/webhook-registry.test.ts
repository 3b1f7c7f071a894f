import { describe, expect, it } from 'vitest';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import {
  claimAllDue,
  FIELDS,
  fixture,
  policy,
  publish,
  register,
  requestingUser,
} from './webhook-fixture.test.support.ts';

const OTHER_REFS: [what: string, refOf: (ref: WebhookRef) => WebhookRef][] = [
  ['unknown', (ref) => ({ ...ref, webhookId: 'wh_unknown' })],
  ['of another account', (ref) => ({ ...ref, accountId: 2 })],
];

describe('registering a webhook', () => {
  it('returns the webhook with its defaults, and a secret that is stored encrypted', async () => {
    const at = fixture();
    const { webhook, secret, ref } = await register(at);
    expect(webhook).toMatchObject({
      webhookId: expect.stringMatching(/^wh_[\w-]{22}$/),
      event: 'Contact.Added',
      url: 'https://example.com/',
      rateLimit: 50,
      rateLimitPeriod: 'second',
    });
    const decrypted = at.contexts[0]?.decryptSecrets(ref, webhook.secrets) ?? [];
    expect(decrypted.map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`)).toEqual([
      secret,
    ]);
    expect(JSON.stringify(webhook)).not.toContain(secret.slice('whsec_'.length));
  });

  it('emits webhook.created with the requesting user, but without the URL', async () => {
    const at = fixture();
    const { ref } = await register(at);
    expect(at.emitted).toEqual([{ type: 'webhook.created', ...ref, ...requestingUser }]);
  });

  it('returns limit_reached at maxWebhooksPerAccount', async () => {
    const at = fixture();
    await register(at);
    await register(at);
    expect(await at.registry.create(1, FIELDS, requestingUser)).toEqual({
      outcome: 'limit_reached',
    });
    expect(await at.registry.list(1, { limit: 100, after: null })).toHaveLength(2);
    expect(at.emitted).toHaveLength(2);
  });

  it('rejects a URL that leads to a private address, and stores nothing', async () => {
    const at = fixture();
    const privateUrl = { ...FIELDS, url: 'https://127.1/' };
    expect(await at.registry.create(1, privateUrl, requestingUser)).toEqual({
      outcome: 'rejected',
      fields: [{ field: 'url', message: 'must not lead to a private address' }],
    });
    expect(await at.registry.list(1, { limit: 100, after: null })).toEqual([]);
  });
});

describe('a webhook', () => {
  it('is changed only in the passed settings, with a normalised URL', async () => {
    const at = fixture();
    const { ref } = await register(at, { rateLimit: 7 });
    const outcome = await at.registry.change(ref, { url: 'HTTPS://EXAMPLE.ORG' }, requestingUser);
    const expected = { url: 'https://example.org/', rateLimit: 7 };
    expect(outcome).toMatchObject({ outcome: 'changed', webhook: expected });
    expect(outcome).toEqual({ outcome: 'changed', webhook: await at.registry.find(ref) });
    expect(at.emitted.at(-1)).toEqual({
      type: 'webhook.changed',
      fields: ['url'],
      ...ref,
      ...requestingUser,
    });
  });

  it('rejects a change to an http: URL without applying any of the change', async () => {
    const at = fixture();
    const { ref, webhook } = await register(at);
    const change = { url: 'http://example.com/', rateLimit: 1 };
    expect(await at.registry.change(ref, change, requestingUser)).toEqual({
      outcome: 'rejected',
      fields: [{ field: 'url', message: 'must be an https: URL' }],
    });
    expect(await at.registry.find(ref)).toEqual(webhook);
  });

  it('applies a changed rate limit to deliveries that already wait', async () => {
    const at = fixture();
    const { ref } = await register(at, { rateLimit: 2 });
    await publish(at, 10);
    expect(await claimAllDue(at)).toHaveLength(2);
    await at.registry.change(ref, { rateLimit: 5 }, requestingUser);
    expect(await claimAllDue(at)).toHaveLength(3);
  });

  it('signs with its new secret and, for the overlap, with the old one', async () => {
    const at = fixture();
    const { ref, secret } = await register(at);
    const newSecret = await at.registry.rotateSecret(ref, requestingUser);
    const signingSecrets = async () => {
      const { secrets = [] } = (await at.registry.find(ref)) ?? {};
      const decrypted = at.contexts[0]?.decryptSecrets(ref, secrets) ?? [];
      return decrypted.map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
    };
    expect(await signingSecrets()).toEqual([newSecret, secret]);
    at.clock.now += policy.secretOverlapMs;
    expect(await signingSecrets()).toEqual([newSecret]);
    expect(at.emitted.at(-1)).toEqual({
      type: 'webhook.secret_rotated',
      ...ref,
      ...requestingUser,
    });
  });

  it('receives no event after its removal', async () => {
    const at = fixture();
    const { ref } = await register(at);
    await publish(at);
    expect(await at.registry.remove(ref, requestingUser)).toBe(true);
    expect(at.emitted.at(-1)).toEqual({ type: 'webhook.removed', ...ref, ...requestingUser });
    expect(await at.registry.find(ref)).toBeNull();
    expect(await at.registry.remove(ref, requestingUser)).toBe(false);
    expect(await publish(at)).toMatchObject([{ deliveries: 0 }]);
  });

  it.each(OTHER_REFS)('is not found by any call if it is %s', async (_what, otherRef) => {
    const at = fixture();
    const { ref, webhook } = await register(at);
    const { registry, deliveries } = at;
    const unknownRef = otherRef(ref);
    at.emitted.splice(0);
    for (const change of [{ rateLimit: 1 }, {}]) {
      const outcome = await registry.change(unknownRef, change, requestingUser);
      expect(outcome).toEqual({ outcome: 'unknown' });
    }
    expect(await registry.remove(unknownRef, requestingUser)).toBe(false);
    expect(await deliveries.resend({ ...unknownRef, deliveryId: 'msg_1' })).toBe(false);
    for (const call of [
      () => registry.find(unknownRef),
      () => registry.rotateSecret(unknownRef, requestingUser),
      () => registry.enable(unknownRef, requestingUser),
      () => deliveries.ping(unknownRef),
      () => deliveries.list(unknownRef, { limit: 1, after: null }),
      () => deliveries.recover(unknownRef, 0),
    ]) {
      expect(await call()).toBeNull();
    }
    expect(await registry.find(ref)).toEqual(webhook);
    expect(at.emitted).toEqual([]);
  });
});
