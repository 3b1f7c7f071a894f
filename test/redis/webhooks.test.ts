import { describe, expect, it } from 'vitest';
import { ACCOUNT_ID, DAY_MS, LIMITS, newWebhook } from '../support/storage/webhook-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('webhooks on Redis', () => {
  it('are returned as created, also by a repeated creation', async () => {
    const { webhooks, clock } = await openWebhookStores();
    const created = await webhooks.create(newWebhook('wh_1'), LIMITS);
    expect(created).toEqual({
      outcome: 'created',
      webhook: {
        accountId: ACCOUNT_ID,
        webhookId: 'wh_1',
        event: 'Contact.Added',
        url: 'https://receiver.example/hooks',
        rateLimit: 50,
        rateLimitPeriod: 'second',
        sequence: clock.nowMs(),
        secrets: [{ encrypted: 'encrypted-1', retiresAtMs: null }],
        createdAtMs: clock.nowMs(),
        updatedAtMs: clock.nowMs(),
        disabledAtMs: null,
        disabledReason: null,
      },
    });
    clock.advance(1);
    expect(await webhooks.create(newWebhook('wh_1'), { maxPerAccount: 1 })).toEqual(created);
    expect(await webhooks.find(newWebhook('wh_1'))).toEqual(
      'webhook' in created && created.webhook,
    );
  });

  it('never exceed the cap of their account under parallel creations', async () => {
    const { webhooks } = await openWebhookStores();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, nth) =>
        webhooks.create(newWebhook(`wh_${nth}`), { maxPerAccount: 5 }),
      ),
    );
    expect(answers.filter(({ outcome }) => outcome === 'created')).toHaveLength(5);
    expect(await webhooks.list(ACCOUNT_ID, { limit: 100, after: null })).toHaveLength(5);
  });

  it.each([
    ['another account', { accountId: 8, webhookId: 'wh_1' }],
    ['the suffix of another key', { accountId: ACCOUNT_ID, webhookId: 'wh_1:window' }],
    ['an empty id', { accountId: ACCOUNT_ID, webhookId: '' }],
  ])('are not found by a reference to %s', async (_name, ref) => {
    const { webhooks } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    expect(await webhooks.find(ref)).toBeNull();
    expect(await webhooks.change(ref, { url: 'https://elsewhere.example/' })).toBeNull();
    expect(await webhooks.rotateSecret(ref, { encrypted: 'x', overlapMs: 0 })).toBeNull();
    expect(await webhooks.enable(ref)).toBeNull();
    expect(await webhooks.remove(ref)).toBe(false);
    expect(await webhooks.find(newWebhook('wh_1'))).toMatchObject({
      updatedAtMs: expect.any(Number),
    });
  });

  it('are listed in the order of creation, page by page', async () => {
    const { webhooks } = await openWebhookStores();
    for (const id of ['wh_c', 'wh_a', 'wh_b']) await webhooks.create(newWebhook(id), LIMITS);
    const first = await webhooks.list(ACCOUNT_ID, { limit: 2, after: null });
    expect(first.map(({ webhookId }) => webhookId)).toEqual(['wh_c', 'wh_a']);
    const after = first.at(-1)?.sequence ?? null;
    const rest = await webhooks.list(ACCOUNT_ID, { limit: 2, after });
    expect(rest.map(({ webhookId }) => webhookId)).toEqual(['wh_b']);
  });

  it('are changed only in the given fields and in updatedAtMs', async () => {
    const { webhooks, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    const before = await webhooks.find(newWebhook('wh_1'));
    clock.advance(1);
    expect(await webhooks.change(newWebhook('wh_1'), { rateLimit: 50 })).toEqual(before);
    const changed = await webhooks.change(newWebhook('wh_1'), { rateLimitPeriod: 'minute' });
    expect(changed).toEqual({ ...before, rateLimitPeriod: 'minute', updatedAtMs: clock.nowMs() });
  });

  it('keep an old secret until it retires', async () => {
    const { webhooks, clock } = await openWebhookStores();
    const ref = newWebhook('wh_1');
    await webhooks.create(ref, LIMITS);
    const rotate = (encrypted: string) =>
      webhooks.rotateSecret(ref, { encrypted, overlapMs: DAY_MS });
    const first = await rotate('encrypted-2');
    expect(first?.secrets).toEqual([
      { encrypted: 'encrypted-2', retiresAtMs: null },
      { encrypted: 'encrypted-1', retiresAtMs: clock.nowMs() + DAY_MS },
    ]);
    clock.advance(1);
    expect(await rotate('encrypted-2')).toEqual(first);
    expect((await rotate('encrypted-3'))?.secrets).toEqual([
      { encrypted: 'encrypted-3', retiresAtMs: null },
      { encrypted: 'encrypted-2', retiresAtMs: clock.nowMs() + DAY_MS },
      { encrypted: 'encrypted-1', retiresAtMs: clock.nowMs() - 1 + DAY_MS },
    ]);
    clock.advance(DAY_MS - 1);
    expect((await webhooks.find(ref))?.secrets.map(({ encrypted }) => encrypted)).toEqual([
      'encrypted-3',
      'encrypted-2',
    ]);
  });

  it('never reuse the sequence of a removed webhook', async () => {
    const { webhooks, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    expect(await webhooks.remove(newWebhook('wh_1'))).toBe(true);
    expect(await webhooks.remove(newWebhook('wh_1'))).toBe(false);
    clock.advance(1);
    expect(await webhooks.create(newWebhook('wh_2'), LIMITS)).toMatchObject({
      webhook: { sequence: clock.nowMs() },
    });
  });
});
