import assert from 'node:assert/strict';
import type { WebhookSettings, WebhookStore } from '@latchhook/core/storage';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import {
  ACCOUNT_ID,
  CHANGES,
  newWebhook,
  SETTING_NAMES,
  settingsOf,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const MAX_TWO = { maxPerAccount: 2 } as const;

export const webhookRegistry: Suite<WebhookFixture> = {
  name: 'webhooks: registry',
  cases: {
    'returns a webhook as it was created, with one secret and timestamps of the storage clock':
      async ({ webhooks, clock }) => {
        const { encryptedSecret, ...stored } = newWebhook('w1');
        const record = await register(webhooks, 'w1');
        const { sequence, ...rest } = record;
        assert.ok(Number.isSafeInteger(sequence), `a sequence of ${sequence}`);
        assert.deepEqual(rest, {
          ...stored,
          secrets: [{ encrypted: encryptedSecret, retiresAtMs: null }],
          createdAtMs: clock.nowMs(),
          updatedAtMs: clock.nowMs(),
          disabledAtMs: null,
          disabledReason: null,
        });
        assert.deepEqual(await webhooks.find(record), record);
        assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
      },

    'stores nothing of a webhook beyond maxPerAccount': async ({ webhooks }) => {
      for (const id of ['w1', 'w2']) await webhooks.create(newWebhook(id), MAX_TWO);
      const result = await webhooks.create(newWebhook('w3'), MAX_TWO);
      assert.deepEqual(result, { outcome: 'limit_reached' });
      assert.equal(await webhooks.find(newWebhook('w3')), null);
      assert.deepEqual(await listedIds(webhooks), ['w1', 'w2']);
    },

    'frees capacity within maxPerAccount when a webhook is removed': async ({ webhooks }) => {
      for (const id of ['w1', 'w2']) await webhooks.create(newWebhook(id), MAX_TWO);
      await webhooks.remove(newWebhook('w1'));
      assert.equal((await webhooks.create(newWebhook('w3'), MAX_TWO)).outcome, 'created');
      assert.equal((await webhooks.create(newWebhook('w4'), MAX_TWO)).outcome, 'limit_reached');
    },

    'counts and lists the webhooks of each account separately': async ({ webhooks }) => {
      const other = { accountId: ACCOUNT_ID + 1 };
      for (const id of ['w1', 'w2']) await webhooks.create(newWebhook(id), MAX_TWO);
      assert.equal((await webhooks.create(newWebhook('w3', other), MAX_TWO)).outcome, 'created');
      assert.deepEqual(await listedIds(webhooks), ['w1', 'w2']);
      assert.deepEqual(await listedIds(webhooks, other.accountId), ['w3']);
    },

    'does not reveal in the sequence how many webhooks other accounts create': async ({
      webhooks,
    }) => {
      const sequenceOf = async (webhookId: string, accountId: number) =>
        (await register(webhooks, webhookId, { accountId })).sequence;
      const step = (await sequenceOf('w1', 1)) - (await sequenceOf('w2', 1));
      const before = await sequenceOf('w1', 2);
      for (const id of ['w1', 'w2', 'w3', 'w4', 'w5']) await sequenceOf(id, 3);
      assert.equal(before - (await sequenceOf('w2', 2)), step);
    },

    'lists webhooks in the order of creation, page by page': async ({ webhooks }) => {
      const ids = Array.from({ length: 7 }, (_, i) => `w${(i * 5) % 7}`);
      for (const id of ids) await register(webhooks, id);
      const listed: string[] = [];
      let after: number | null = null;
      for (;;) {
        const page = await webhooks.list(ACCOUNT_ID, { limit: 3, after });
        listed.push(...page.map(({ webhookId }) => webhookId));
        const last = page.at(-1);
        if (last === undefined) break;
        assert.ok(page.length === 3 || listed.length === ids.length, 'a page that is not full');
        after = last.sequence;
      }
      assert.deepEqual(listed, ids);
    },

    'continues a list after a webhook that has been removed': async ({ webhooks }) => {
      for (const id of ['w1', 'w2', 'w3', 'w4']) await register(webhooks, id);
      const [, last] = await webhooks.list(ACCOUNT_ID, { limit: 2, after: null });
      assert.equal(last?.webhookId, 'w2');
      await webhooks.remove(newWebhook('w2'));
      const next = await webhooks.list(ACCOUNT_ID, { limit: 2, after: last?.sequence ?? null });
      assert.deepEqual(
        next.map(({ webhookId }) => webhookId),
        ['w3', 'w4'],
      );
    },

    'continues a list after the last page even if all webhooks on it were removed': async ({
      webhooks,
      clock,
    }) => {
      for (const id of ['w1', 'w2', 'w3']) await register(webhooks, id);
      const before = await webhooks.list(ACCOUNT_ID, { limit: 3, after: null });
      for (const webhook of before) await webhooks.remove(webhook);
      clock.advance(1000);
      await register(webhooks, 'w4');
      const next = await webhooks.list(ACCOUNT_ID, {
        limit: 3,
        after: before.at(-1)?.sequence ?? null,
      });
      assert.deepEqual(
        next.map(({ webhookId }) => webhookId),
        ['w4'],
      );
    },

    'changes only the given fields of the webhook': async ({ webhooks, clock }) => {
      const created = await register(webhooks, 'w1');
      const other = await register(webhooks, 'w2');
      const splitChange = (settings: WebhookSettings) =>
        SETTING_NAMES.map((name) => settingsOf(settings, [name]));
      const changes = [...splitChange(CHANGES), {}, ...splitChange(created), CHANGES];
      let expected = created;
      for (const change of changes) {
        clock.advance(1000);
        const changedWebhook = await webhooks.change(created, change);
        const updatedAtMs = changedWebhook?.updatedAtMs ?? 0;
        expected = { ...expected, ...change, updatedAtMs };
        assert.deepEqual(changedWebhook, expected);
        assert.deepEqual(await webhooks.find(created), expected);
        // An empty change may or may not count as an update.
        if (Object.keys(change).length > 0) assert.equal(updatedAtMs, clock.nowMs());
      }
      assert.deepEqual(await webhooks.find(other), other);
    },

    'shows a webhook to its own account only': async ({ webhooks }) => {
      const record = await register(webhooks, 'w1');
      const stranger = { accountId: ACCOUNT_ID + 1, webhookId: 'w1' };
      const secret = { encrypted: 'of somebody else', overlapMs: 0 };
      assert.equal(await webhooks.find(stranger), null);
      assert.equal(await webhooks.change(stranger, { url: 'https://evil.example.com' }), null);
      assert.equal(await webhooks.rotateSecret(stranger, secret), null);
      assert.equal(await webhooks.enable(stranger), null);
      assert.equal(await webhooks.remove(stranger), false);
      assert.deepEqual(await webhooks.find(record), record);
    },

    'treats a removed webhook as unknown': async ({ webhooks }) => {
      const keptWebhook = await register(webhooks, 'w1');
      const removed = await register(webhooks, 'w2');
      assert.equal(await webhooks.remove(removed), true);
      assert.equal(await webhooks.find(removed), null);
      assert.equal(await webhooks.change(removed, { rateLimit: 1 }), null);
      assert.equal(await webhooks.rotateSecret(removed, { encrypted: 's', overlapMs: 0 }), null);
      assert.equal(await webhooks.enable(removed), null);
      assert.deepEqual(await webhooks.list(ACCOUNT_ID, { limit: 100, after: null }), [keptWebhook]);
    },
  },
};

async function listedIds(
  webhooks: WebhookStore,
  accountId: number = ACCOUNT_ID,
): Promise<readonly string[]> {
  const listed = await webhooks.list(accountId, { limit: 100, after: null });
  return listed.map(({ webhookId }) => webhookId);
}
