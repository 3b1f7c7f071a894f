import { describe, expect, it } from 'vitest';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import {
  added,
  claimAll,
  fixture,
  policy,
  publish,
  register,
  requestingUser,
} from './webhook-fixture.test.support.ts';

const somebodyElses: [what: string, ref: (ref: WebhookRef) => WebhookRef][] = [
  ['that does not exist', (ref) => ({ ...ref, webhookId: 'wh_unknown' })],
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
    const opened = at.contexts[0]?.decryptSecrets(ref, webhook.secrets) ?? [];
    expect(opened.map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`)).toEqual([
      secret,
    ]);
    expect(JSON.stringify(webhook)).not.toContain(secret.slice('whsec_'.length));
  });

  it('emits the user who did it, and never the URL', async () => {
    const at = fixture();
    const { ref } = await register(at);
    expect(at.emitted).toEqual([{ type: 'webhook.created', ...ref, ...requestingUser }]);
  });

  it('returns limit_reached at maxWebhooksPerAccount', async () => {
    const at = fixture();
    await register(at);
    await register(at);
    expect(await at.registry.create(1, added, requestingUser)).toEqual({
      outcome: 'limit_reached',
    });
    expect(await at.registry.list(1, { limit: 100, after: null })).toHaveLength(2);
    expect(at.emitted).toHaveLength(2);
  });

  it('rejects a URL that leads to a private address, and stores nothing', async () => {
    const at = fixture();
    const privateUrl = { ...added, url: 'https://127.1/' };
    expect(await at.registry.create(1, privateUrl, requestingUser)).toEqual({
      outcome: 'rejected',
      fields: [{ field: 'url', message: 'must not lead to a private address' }],
    });
    expect(await at.registry.list(1, { limit: 100, after: null })).toEqual([]);
  });
});

describe('a webhook', () => {
  it('is changed in the given fields alone, and its URL stored as parsed', async () => {
    const at = fixture();
    const { ref } = await register(at, { rateLimit: 7 });
    const changed = await at.registry.change(ref, { url: 'HTTPS://EXAMPLE.ORG' }, requestingUser);
    const expected = { url: 'https://example.org/', rateLimit: 7 };
    expect(changed).toMatchObject({ outcome: 'changed', webhook: expected });
    expect(changed).toEqual({ outcome: 'changed', webhook: await at.registry.find(ref) });
    expect(at.emitted.at(-1)).toEqual({
      type: 'webhook.changed',
      fields: ['url'],
      ...ref,
      ...requestingUser,
    });
  });

  it('is not changed to an http: URL', async () => {
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
    expect(await claimAll(at)).toHaveLength(2);
    await at.registry.change(ref, { rateLimit: 5 }, requestingUser);
    expect(await claimAll(at)).toHaveLength(3);
  });

  it('signs with its new secret and, for the overlap, with the old one', async () => {
    const at = fixture();
    const { ref, secret } = await register(at);
    const next = await at.registry.rotateSecret(ref, requestingUser);
    const signing = async () => {
      const { secrets = [] } = (await at.registry.find(ref)) ?? {};
      const opened = at.contexts[0]?.decryptSecrets(ref, secrets) ?? [];
      return opened.map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
    };
    expect(await signing()).toEqual([next, secret]);
    at.clock.now += policy.secretOverlapMs;
    expect(await signing()).toEqual([next]);
    expect(at.emitted.at(-1)).toEqual({
      type: 'webhook.secret_rotated',
      ...ref,
      ...requestingUser,
    });
  });

  it('is removed, with its deliveries', async () => {
    const at = fixture();
    const { ref } = await register(at);
    await publish(at);
    expect(await at.registry.remove(ref, requestingUser)).toBe(true);
    expect(at.emitted.at(-1)).toEqual({ type: 'webhook.removed', ...ref, ...requestingUser });
    expect(await at.registry.find(ref)).toBeNull();
    expect(await at.registry.remove(ref, requestingUser)).toBe(false);
    expect(await publish(at)).toMatchObject([{ deliveries: 0 }]);
  });

  it.each(somebodyElses)('%s is not found by any call', async (_what, other) => {
    const at = fixture();
    const { ref, webhook } = await register(at);
    const { registry, deliveries } = at;
    const nobodys = other(ref);
    at.emitted.splice(0);
    for (const change of [{ rateLimit: 1 }, {}]) {
      const answer = await registry.change(nobodys, change, requestingUser);
      expect(answer).toEqual({ outcome: 'unknown' });
    }
    expect(await registry.remove(nobodys, requestingUser)).toBe(false);
    expect(await deliveries.resend({ ...nobodys, deliveryId: 'msg_1' })).toBe(false);
    for (const asked of [
      () => registry.find(nobodys),
      () => registry.rotateSecret(nobodys, requestingUser),
      () => registry.enable(nobodys, requestingUser),
      () => deliveries.ping(nobodys),
      () => deliveries.list(nobodys, { limit: 1, after: null }),
      () => deliveries.recover(nobodys, 0),
    ]) {
      expect(await asked()).toBeNull();
    }
    expect(await registry.find(ref)).toEqual(webhook);
    expect(at.emitted).toEqual([]);
  });
});
