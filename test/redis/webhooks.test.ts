import { describe, expect, it } from 'vitest';
import { ACCOUNT_ID, LIMITS, newWebhook } from '../support/storage/webhook-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('webhooks on Redis', () => {
  it.each([
    ['another account', { accountId: 8, webhookId: 'wh_1' }],
    [
      'an id that names another key of a webhook',
      { accountId: ACCOUNT_ID, webhookId: 'wh_1:window' },
    ],
    ['an empty id', { accountId: ACCOUNT_ID, webhookId: '' }],
  ])('are not found by a reference with %s', async (_name, ref) => {
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

  it('never reuse the sequence number of a removed webhook', async () => {
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
