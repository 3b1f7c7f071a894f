import { randomUUID } from 'node:crypto';
import { queueAfterChange, queueAfterEnabling } from '../../decisions/queue-state.ts';
import {
  changeWebhook,
  enableWebhook,
  newWebhookRecord,
  reencryptWebhookSecret,
  rotateWebhookSecret,
  signingSecrets,
  webhookAsOf,
} from '../../decisions/webhook-changes.ts';
import type { DueNotifier } from '../../due-notifier.ts';
import type { WebhookRecord, WebhookRef, WebhookStore } from '../../webhook-store.ts';
import type { EngineCalls } from '../engine-calls.ts';
import { readAccount, withAccount } from './account-rows.ts';
import { accountPartition } from './stored-account.ts';
import { type StoredWebhook, webhookIn, webhookSortKey } from './stored-webhook.ts';

/** Webhooks on an engine, in the partition of their account. */
export function webhooksOn(calls: EngineCalls, notifier: DueNotifier): WebhookStore {
  /** Changes a webhook. If `change` returns the same object, nothing is written. */
  const updateWebhook = (
    { accountId, webhookId }: WebhookRef,
    change: (webhook: StoredWebhook, nowMs: number) => StoredWebhook,
  ) =>
    withAccount(calls, accountId, async (account) => {
      const { nowMs } = account;
      const before = await account.webhook(webhookId);
      if (before === null) return null;
      const webhook = change(before, nowMs);
      if (webhook !== before) {
        account.putWebhook(webhook);
        await account.save();
      }
      return { before, webhook, record: webhookAsOf(webhook.record, nowMs) };
    });

  return {
    create: (webhook, { maxPerAccount }) => {
      const queueId = randomUUID();
      return withAccount(calls, webhook.accountId, async (account) => {
        const { nowMs } = account;
        const existing = await account.webhook(webhook.webhookId);
        // A repeated command has the same result.
        if (existing !== null) {
          return { outcome: 'created', webhook: webhookAsOf(existing.record, nowMs) };
        }
        const all = await account.webhooks();
        if (all.length >= maxPerAccount) return { outcome: 'limit_reached' };
        const record = newWebhookRecord(webhook, all.at(-1)?.record.sequence ?? 0, nowMs);
        account.addWebhook(record, queueId);
        await account.save();
        return { outcome: 'created', webhook: record };
      });
    },

    find: ({ accountId, webhookId }) =>
      readAccount(calls, accountId, async (account) => {
        const webhook = await account.webhook(webhookId);
        return webhook && webhookAsOf(webhook.record, account.nowMs);
      }),

    list: (accountId, { limit, after }) =>
      readAccount(calls, accountId, async (account) => {
        const from = webhookSortKey(accountPartition(accountId), (after ?? -1) + 1);
        const webhooks = await account.webhooks('webhook', { from, limit });
        return webhooks.map(({ record }) => webhookAsOf(record, account.nowMs));
      }),

    async change(ref, change) {
      const updated = await updateWebhook(ref, (webhook, nowMs) => {
        const record = changeWebhook(webhook.record, change, nowMs);
        if (record === webhook.record) return webhook;
        const queue = queueAfterChange(webhook.queue, webhook.record, record, nowMs);
        return { ...webhook, record, queue };
      });
      if (updated !== null) notifier.notify();
      return updated?.record ?? null;
    },

    async rotateSecret(ref, secret) {
      const updated = await updateWebhook(ref, (webhook, nowMs) =>
        withRecord(webhook, rotateWebhookSecret(webhook.record, secret, nowMs)),
      );
      return updated?.record ?? null;
    },

    async enable(ref) {
      const updated = await updateWebhook(ref, (webhook, nowMs) => {
        const record = enableWebhook(webhook.record, nowMs);
        return { ...webhook, record, queue: queueAfterEnabling(webhook.queue, record, nowMs) };
      });
      if (updated === null) return null;
      notifier.notify();
      const isAlreadyEnabled = updated.before.record.disabledAtMs === null;
      return { outcome: isAlreadyEnabled ? 'already_enabled' : 'enabled', webhook: updated.record };
    },

    async remove({ accountId, webhookId }) {
      const isRemoved = await withAccount(calls, accountId, async (account) => {
        const webhook = await account.webhook(webhookId);
        if (webhook === null) return false;
        await account.removeWebhook(webhook);
        await account.save();
        return true;
      });
      // The removal may have freed permits of the account.
      if (isRemoved) notifier.notify();
      return isRemoved;
    },

    async listEncrypted({ limit, cursor }) {
      const deadline = calls.newDeadline();
      const nowMs = await calls.now(deadline);
      const page = { from: cursor ?? '', limit: limit + 1 };
      const rows = await calls.find('webhook', page, deadline);
      const items = rows.slice(0, limit).flatMap((row) => {
        const { accountId, webhookId, secrets } = webhookIn(row).record;
        const signing = signingSecrets(secrets, nowMs);
        return signing.map(({ encrypted }) => ({ owner: { accountId, webhookId }, encrypted }));
      });
      return { items, nextCursor: rows[limit]?.indexes['webhook'] ?? null };
    },

    async replaceEncrypted(ref, change) {
      const updated = await updateWebhook(ref, (webhook) =>
        withRecord(webhook, reencryptWebhookSecret(webhook.record, change)),
      );
      const secrets = updated?.webhook.record.secrets ?? [];
      return secrets.some(({ encrypted }) => encrypted === change.replacement);
    },
  };
}

function withRecord(webhook: StoredWebhook, record: WebhookRecord): StoredWebhook {
  return record === webhook.record ? webhook : { ...webhook, record };
}
