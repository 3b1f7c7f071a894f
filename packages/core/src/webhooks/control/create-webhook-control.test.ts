import { describe, expect, it } from 'vitest';
import { UNKNOWN_CLIENT } from '../../client-info/client-info.ts';
import type { WebhookRef } from '../../storage/webhook-store.ts';
import type { WebhookEventName } from '../../webhook-events.ts';
import {
  FIELDS,
  type Fixture,
  failAllDue,
  fixture,
  publish,
  register,
} from '../registry/webhook-fixture.test.support.ts';
import { createByHost, untyped } from './webhook-control-fixture.test.support.ts';

const host = { actor: 'host', userId: null, ...UNKNOWN_CLIENT } as const;
const adminPage = { clientAddress: '192.0.2.7', userAgent: 'admin' };

/** The secrets that sign, in the text form in which they are shown to clients. */
async function signingSecrets({ store, contexts }: Fixture, ref: WebhookRef) {
  const secrets = (await store.find(ref))?.secrets ?? [];
  const decrypted = contexts[0]?.decryptSecrets(ref, secrets) ?? [];
  return decrypted.map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
}

describe('auth.webhooks.create', () => {
  it('returns the webhook with its defaults, and its signing secret', async () => {
    const at = fixture();
    const { webhook, secret, ref } = await createByHost(at);
    expect(webhook).toEqual({
      accountId: 1,
      webhookId: expect.stringMatching(/^wh_[\w-]{22}$/),
      event: 'Contact.Added',
      url: 'https://example.com/',
      rateLimit: 50,
      rateLimitPeriod: 'second',
      createdAtMs: at.clock.now,
      updatedAtMs: at.clock.now,
      disabledAtMs: null,
      disabledReason: null,
    });
    expect(await signingSecrets(at, ref)).toEqual([secret]);
    expect(await at.control.find(ref)).toEqual(webhook);
    expect(await at.registry.find(ref)).toMatchObject(webhook);
  });

  it('uses the passed rate limit, or the default if the passed limit is undefined', async () => {
    const at = fixture();
    const rate = { rateLimit: 10_000, rateLimitPeriod: 'minute' } as const;
    expect((await createByHost(at, rate)).webhook).toMatchObject(rate);
    const undefinedRate = { ...FIELDS, rateLimit: undefined, rateLimitPeriod: undefined };
    expect(await untyped(at.control).create(1, undefinedRate)).toMatchObject({
      webhook: { rateLimit: 50, rateLimitPeriod: 'second' },
    });
  });

  it.each<[input: unknown, fields: readonly object[]]>([
    [
      { ...FIELDS, url: 'https://127.1/' },
      [{ field: 'url', message: 'must not lead to a private address' }],
    ],
    [
      { ...FIELDS, url: 'http://example.com' },
      [{ field: 'url', message: 'must be an https: URL' }],
    ],
    [
      { ...FIELDS, url: `https://example.com/${'x'.repeat(2_083)}` },
      [{ field: 'url', message: 'must have at most 2083 characters' }],
    ],
    [{ ...FIELDS, rateLimit: 0 }, [{ field: 'rateLimit', message: 'must be at least 1' }]],
    [{ ...FIELDS, rateLimit: 10_001 }, [{ field: 'rateLimit', message: 'must be at most 10000' }]],
    [
      { ...FIELDS, rateLimitPeriod: 'hour' },
      [{ field: 'rateLimitPeriod', message: 'must be second or minute' }],
    ],
    [{ ...FIELDS, rate_limit: 5 }, [{ field: 'rate_limit', message: 'is unknown' }]],
    [
      { event: 'Webhook.Ping' },
      [
        { field: 'event', message: expect.stringMatching(/^must be one of Account.Created, /) },
        { field: 'url', message: 'is required' },
      ],
    ],
    [
      null,
      [
        { field: 'event', message: 'is required' },
        { field: 'url', message: 'is required' },
      ],
    ],
  ])('rejects %j, names the invalid fields and stores nothing', async (input, fields) => {
    const at = fixture();
    const outcome = await untyped(at.control).create(1, input);
    expect(outcome).toEqual({ outcome: 'rejected', fields });
    expect((await at.control.list(1)).items).toEqual([]);
    expect(at.emitted).toEqual([]);
  });
});

describe('a webhook of auth.webhooks', () => {
  it('emits each of its changes with the actor host', async () => {
    const at = fixture();
    const { control, emitted } = at;
    const { ref } = await createByHost(at);
    await control.change(ref, { url: 'https://example.org', rateLimit: 7 });
    await control.rotateSecret(ref);
    await publish(at);
    await failAllDue(at, 'gone');
    await control.enable(ref);
    await control.remove(ref);
    expect(emitted).toEqual([
      { type: 'webhook.created', ...ref, ...host },
      { type: 'webhook.changed', fields: ['url', 'rateLimit'], ...ref, ...host },
      { type: 'webhook.secret_rotated', ...ref, ...host },
      { type: 'webhook.enabled', ...ref, ...host },
      { type: 'webhook.removed', ...ref, ...host },
    ]);
  });

  it('emits each of its changes with the address and user agent of a passed client, and no more of it', async () => {
    const at = fixture();
    const { control, emitted } = at;
    const client = { ...adminPage, userId: 'ada', actor: 'user', cookie: 'x' };
    const creation = await control.create(1, FIELDS, client);
    if (creation.outcome !== 'created') throw new Error(creation.outcome);
    // A whole record may be passed instead of ids. Nothing but its ids gets into an event.
    await control.change(creation.webhook, { rateLimit: 7 }, client);
    await control.rotateSecret(creation.webhook, client);
    await publish(at);
    await failAllDue(at, 'gone');
    await control.enable(creation.webhook, client);
    await control.remove(creation.webhook, client);
    const { webhookId } = creation.webhook;
    const byAdmin = { accountId: 1, webhookId, ...host, ...adminPage };
    expect(emitted).toEqual([
      { type: 'webhook.created', ...byAdmin },
      { type: 'webhook.changed', fields: ['rateLimit'], ...byAdmin },
      { type: 'webhook.secret_rotated', ...byAdmin },
      { type: 'webhook.enabled', ...byAdmin },
      { type: 'webhook.removed', ...byAdmin },
    ]);
  });

  it('is changed only in the passed settings, and returned as stored', async () => {
    const at = fixture();
    const { ref, webhook } = await createByHost(at, { rateLimit: 7 });
    const change = { url: 'HTTPS://EXAMPLE.ORG', rateLimit: undefined };
    const changedWebhook = { ...webhook, url: 'https://example.org/' };
    expect(await untyped(at.control).change(ref, change)).toEqual({
      outcome: 'changed',
      webhook: changedWebhook,
    });
    expect(await at.control.find(ref)).toEqual(changedWebhook);
  });

  it.each([{}, { url: undefined }, null])(
    'is unchanged by %j, without an event',
    async (noChange) => {
      const at = fixture();
      const { ref, webhook } = await createByHost(at);
      at.emitted.splice(0);
      expect(await untyped(at.control).change(ref, noChange)).toEqual({
        outcome: 'changed',
        webhook,
      });
      expect(
        await untyped(at.control).change({ ...ref, webhookId: 'wh_unknown' }, noChange),
      ).toEqual({
        outcome: 'unknown',
      });
      expect(at.emitted).toEqual([]);
    },
  );

  it.each<[change: object, field: string]>([
    [{ url: 'https://10.0.0.1/', rateLimit: 9 }, 'url'],
    [{ url: '', rateLimit: 9 }, 'url'],
    [{ url: 'https://example.org', rateLimit: 0 }, 'rateLimit'],
    [{ rateLimit: 9, rateLimitPeriod: 'hour' }, 'rateLimitPeriod'],
    [{ rateLimit: 9, event: 'Contact.Removed' }, 'event'],
  ])('is unchanged by %j, which has an invalid field', async (change, field) => {
    const at = fixture();
    const { ref, webhook } = await createByHost(at);
    at.emitted.splice(0);
    expect(await at.control.change(ref, change)).toEqual({
      outcome: 'rejected',
      fields: [{ field, message: expect.any(String) }],
    });
    expect(await at.control.find(ref)).toEqual(webhook);
    expect(at.emitted).toEqual([]);
  });

  it('has eventRemoved only if the app no longer has its event', async () => {
    const at = fixture();
    const removedEvent = 'Invoice.Removed' as WebhookEventName;
    const { ref } = await register(at, { event: removedEvent });
    const { webhook } = await createByHost(at);
    const withEventRemoved = expect.objectContaining({ event: removedEvent, eventRemoved: true });
    expect((await at.control.list(1)).items).toEqual([withEventRemoved, webhook]);
    expect(webhook).not.toHaveProperty('eventRemoved');
    expect(await at.control.find(ref)).toEqual(withEventRemoved);
    expect(await at.control.change(ref, { rateLimit: 7 })).toMatchObject({
      webhook: withEventRemoved,
    });
  });
});
