import type { AccountId } from '../../account-id.ts';
import type { Clock } from '../../ports/clock.ts';
import { queueAfterChange, queueAfterEnabling } from '../decisions/queue-state.ts';
import {
  changeWebhook,
  enableWebhook,
  newWebhookRecord,
  reencryptWebhookSecret,
  rotateWebhookSecret,
  signingSecrets,
  webhookAsOf,
} from '../decisions/webhook-changes.ts';
import type { DueNotifier } from '../due-notifier.ts';
import type { WebhookRecord, WebhookRef, WebhookStore } from '../webhook-store.ts';
import type { MemoryQueues } from './memory-queues.ts';
import type { MemoryWebhook } from './memory-records.ts';

/** The registry of webhooks in memory, by the same decisions as on an engine. No method awaits anything. */
export function memoryWebhooks(
  queues: MemoryQueues,
  notifier: DueNotifier,
  clock: Clock,
): WebhookStore {
  const webhooksOf = (accountId: AccountId): readonly MemoryWebhook[] => [
    ...(queues.accounts.find(accountId)?.webhooks.values() ?? []),
  ];

  const update = (
    ref: WebhookRef,
    change: (record: WebhookRecord, nowMs: number) => WebhookRecord,
  ) => {
    const webhook = queues.accounts.webhook(ref);
    if (webhook === undefined) return null;
    const nowMs = clock.nowMs();
    const before = webhook.record;
    webhook.record = change(before, nowMs);
    return { webhook, before, nowMs };
  };

  return {
    async create(webhook, { maxPerAccount }) {
      const nowMs = clock.nowMs();
      const existing = queues.accounts.webhook(webhook);
      // A repeated command has the same result.
      if (existing !== undefined)
        return { outcome: 'created', webhook: webhookAsOf(existing.record, nowMs) };
      const all = webhooksOf(webhook.accountId);
      if (all.length >= maxPerAccount) return { outcome: 'limit_reached' };
      const record = newWebhookRecord(webhook, all.at(-1)?.record.sequence ?? 0, nowMs);
      queues.addWebhook(record);
      return { outcome: 'created', webhook: { ...record } };
    },

    async find(ref) {
      const webhook = queues.accounts.webhook(ref);
      return webhook === undefined ? null : webhookAsOf(webhook.record, clock.nowMs());
    },

    async list(accountId, { limit, after }) {
      const nowMs = clock.nowMs();
      return webhooksOf(accountId)
        .filter(({ record }) => record.sequence > (after ?? -1))
        .slice(0, limit)
        .map(({ record }) => webhookAsOf(record, nowMs));
    },

    async change(ref, change) {
      const changed = update(ref, (record, nowMs) => changeWebhook(record, change, nowMs));
      if (changed === null) return null;
      const { webhook, before, nowMs } = changed;
      if (webhook.record !== before)
        queues.setQueue(webhook, queueAfterChange(webhook.queue, before, webhook.record, nowMs));
      notifier.notify();
      return webhookAsOf(webhook.record, nowMs);
    },

    async rotateSecret(ref, secret) {
      const changed = update(ref, (record, nowMs) => rotateWebhookSecret(record, secret, nowMs));
      return changed && webhookAsOf(changed.webhook.record, changed.nowMs);
    },

    async enable(ref) {
      const changed = update(ref, enableWebhook);
      if (changed === null) return null;
      const { webhook, before, nowMs } = changed;
      queues.setQueue(webhook, queueAfterEnabling(webhook.queue, webhook.record, nowMs));
      notifier.notify();
      const outcome = before.disabledAtMs === null ? 'already_enabled' : 'enabled';
      return { outcome, webhook: webhookAsOf(webhook.record, nowMs) };
    },

    async remove(ref) {
      const webhook = queues.accounts.webhook(ref);
      if (webhook === undefined) return false;
      queues.removeWebhook(webhook);
      // The removal may have freed permits of the account.
      notifier.notify();
      return true;
    },

    async listEncrypted({ limit, cursor }) {
      const nowMs = clock.nowMs();
      // One more than the page has: its tie-breaker is the next cursor.
      const page: MemoryWebhook[] = [];
      for (const webhook of queues.webhooks.values()) {
        if (page.length > limit) break;
        if (webhook.tieBreaker >= Number(cursor ?? 0)) page.push(webhook);
      }
      const items = page
        .slice(0, limit)
        .flatMap(({ record: { accountId, webhookId, secrets } }) => {
          const owner = { accountId, webhookId };
          return signingSecrets(secrets, nowMs).map(({ encrypted }) => ({ owner, encrypted }));
        });
      return { items, nextCursor: page[limit]?.tieBreaker.toString() ?? null };
    },

    async replaceEncrypted(ref, change) {
      const changed = update(ref, (record) => reencryptWebhookSecret(record, change));
      const secrets = changed?.webhook.record.secrets ?? [];
      return secrets.some(({ encrypted }) => encrypted === change.replacement);
    },
  };
}
