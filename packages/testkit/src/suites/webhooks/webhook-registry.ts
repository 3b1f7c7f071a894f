import assert from 'node:assert/strict';
import type { WebhookRef, WebhookSettings, WebhookStore } from '@latchhook/core/storage';
import { pagesOf } from '../../actions/pages-of.ts';
import { pluck } from '../../actions/pluck.ts';
import { webhookSuite } from '../../fixtures/webhook-fixture.ts';
import {
  ACCOUNT_ID,
  CHANGES,
  newWebhook,
  SETTING_NAMES,
  settingsOf,
} from '../../samples/webhook-samples.ts';

const MAX_TWO = { maxPerAccount: 2 } as const;

export const webhookRegistry = webhookSuite('webhooks: registry', {
  'returns a webhook as created, with one secret and times of the storage clock': async (t) => {
    const { encryptedSecret, ...stored } = newWebhook('w1');
    const record = await t.register('w1');
    const { sequence, ...rest } = record;
    assert.ok(Number.isSafeInteger(sequence), `a sequence of ${sequence}`);
    assert.deepEqual(rest, {
      ...stored,
      secrets: [{ encrypted: encryptedSecret, retiresAtMs: null }],
      createdAtMs: t.clock.nowMs(),
      updatedAtMs: t.clock.nowMs(),
      disabledAtMs: null,
      disabledReason: null,
    });
    assert.deepEqual(await t.webhooks.find(record), record);
    assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
  },

  'stores nothing of a webhook beyond maxPerAccount': async (t) => {
    for (const id of ['w1', 'w2']) await t.webhooks.create(newWebhook(id), MAX_TWO);
    const result = await t.webhooks.create(newWebhook('w3'), MAX_TWO);
    assert.deepEqual(result, { outcome: 'limit_reached' });
    assert.equal(await t.webhooks.find(newWebhook('w3')), null);
    assert.deepEqual(await listedIds(t.webhooks), ['w1', 'w2']);
  },

  'frees capacity within maxPerAccount when a webhook is removed': async (t) => {
    for (const id of ['w1', 'w2']) await t.webhooks.create(newWebhook(id), MAX_TWO);
    await t.webhooks.remove(newWebhook('w1'));
    assert.equal((await t.webhooks.create(newWebhook('w3'), MAX_TWO)).outcome, 'created');
    assert.equal((await t.webhooks.create(newWebhook('w4'), MAX_TWO)).outcome, 'limit_reached');
  },

  'counts and lists the webhooks of each account separately': async (t) => {
    const other = { accountId: ACCOUNT_ID + 1 };
    for (const id of ['w1', 'w2']) await t.webhooks.create(newWebhook(id), MAX_TWO);
    assert.equal((await t.webhooks.create(newWebhook('w3', other), MAX_TWO)).outcome, 'created');
    assert.deepEqual(await listedIds(t.webhooks), ['w1', 'w2']);
    assert.deepEqual(await listedIds(t.webhooks, other.accountId), ['w3']);
  },

  'does not reveal in the sequence how many webhooks other accounts create': async (t) => {
    const sequenceOf = async (webhookId: string, accountId: number) =>
      (await t.register(webhookId, { accountId })).sequence;
    const first = await sequenceOf('w1', 1);
    const step = (await sequenceOf('w2', 1)) - first;
    const before = await sequenceOf('w1', 2);
    for (const id of ['w1', 'w2', 'w3', 'w4', 'w5']) await sequenceOf(id, 3);
    assert.equal(await sequenceOf('w2', 2), before + step);
  },

  'lists webhooks in the order of creation, page by page': async (t) => {
    // Created in another order than that of the ids.
    const ids = ['w0', 'w5', 'w3', 'w1', 'w6', 'w4', 'w2'];
    for (const id of ids) await t.register(id);
    const pages = await pagesOf((page) => t.webhooks.list(ACCOUNT_ID, page), 3);
    const idPages = pages.map((page) => pluck(page, 'webhookId'));
    assert.deepEqual(idPages, [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  },

  'continues a list after a webhook that has been removed': async (t) => {
    for (const id of ['w1', 'w2', 'w3', 'w4']) await t.register(id);
    const [, last] = await t.webhooks.list(ACCOUNT_ID, { limit: 2, after: null });
    assert.equal(last?.webhookId, 'w2');
    await t.webhooks.remove(newWebhook('w2'));
    const next = await t.webhooks.list(ACCOUNT_ID, { limit: 2, after: last?.sequence ?? null });
    assert.deepEqual(pluck(next, 'webhookId'), ['w3', 'w4']);
  },

  'continues a list after the last page even if all webhooks on it were removed': async (t) => {
    for (const id of ['w1', 'w2', 'w3']) await t.register(id);
    const before = await t.webhooks.list(ACCOUNT_ID, { limit: 3, after: null });
    for (const webhook of before) await t.webhooks.remove(webhook);
    t.clock.advance(1000);
    await t.register('w4');
    const next = await t.webhooks.list(ACCOUNT_ID, {
      limit: 3,
      after: before.at(-1)?.sequence ?? null,
    });
    assert.deepEqual(pluck(next, 'webhookId'), ['w4']);
  },

  'changes only the given fields of the webhook': async (t) => {
    const created = await t.register('w1');
    const other = await t.register('w2');
    const splitChange = (settings: WebhookSettings) =>
      SETTING_NAMES.map((name) => settingsOf(settings, [name]));
    const changes = [...splitChange(CHANGES), {}, ...splitChange(created), CHANGES];
    let expected = created;
    for (const change of changes) {
      t.clock.advance(1000);
      const changedWebhook = await t.webhooks.change(created, change);
      const updatedAtMs = changedWebhook?.updatedAtMs ?? 0;
      expected = { ...expected, ...change, updatedAtMs };
      assert.deepEqual(changedWebhook, expected);
      assert.deepEqual(await t.webhooks.find(created), expected);
      // An empty change may or may not count as an update.
      if (Object.keys(change).length > 0) assert.equal(updatedAtMs, t.clock.nowMs());
    }
    assert.deepEqual(await t.webhooks.find(other), other);
  },

  'shows a webhook to its own account only': async (t) => {
    const record = await t.register('w1');
    await assertUnknown(t.webhooks, { accountId: ACCOUNT_ID + 1, webhookId: 'w1' });
    assert.deepEqual(await t.webhooks.find(record), record);
  },

  'treats a removed webhook as unknown': async (t) => {
    const keptWebhook = await t.register('w1');
    const removed = await t.register('w2');
    assert.equal(await t.webhooks.remove(removed), true);
    await assertUnknown(t.webhooks, removed);
    assert.deepEqual(await t.webhooks.list(ACCOUNT_ID, { limit: 100, after: null }), [keptWebhook]);
  },
});

async function assertUnknown(webhooks: WebhookStore, ref: WebhookRef): Promise<void> {
  assert.equal(await webhooks.find(ref), null);
  assert.equal(await webhooks.change(ref, { url: 'https://evil.example.com' }), null);
  assert.equal(await webhooks.rotateSecret(ref, { encrypted: 's', overlapMs: 0 }), null);
  assert.equal(await webhooks.enable(ref), null);
  assert.equal(await webhooks.remove(ref), false);
}

async function listedIds(
  webhooks: WebhookStore,
  accountId: number = ACCOUNT_ID,
): Promise<readonly string[]> {
  const listed = await webhooks.list(accountId, { limit: 100, after: null });
  return listed.map(({ webhookId }) => webhookId);
}
