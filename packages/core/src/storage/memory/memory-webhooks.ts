import type { AccountId } from '../../account-id.ts';
import type { Clock } from '../../ports/clock.ts';
import { queueAfterChange, queueAfterEnabling } from '../decisions/queue-state.ts';
import {
  changeWebhook,
  enableWebhook,
  reencryptWebhookSecret,
  rotateWebhookSecret,
  signingSecrets,
  webhookAsOf,
} from '../decisions/webhook-changes.ts';
import type { DueNotifier } from '../engine/webhooks/due-notifier.ts';
import { newRecord } from '../engine/webhooks/webhooks-on.ts';
import type { Page } from '../page.ts';
import type {
  NewWebhook,
  WebhookChange,
  WebhookRecord,
  WebhookRef,
  WebhookStore,
} from '../webhook-store.ts';
import type { MemoryQueues } from './memory-queues.ts';
import type { MemoryWebhook } from './memory-records.ts';

/** The registry of webhooks in memory, by the same decisions as on an engine. No method awaits anything. */
export class MemoryWebhooks implements WebhookStore {
  readonly #queues: MemoryQueues;
  readonly #notifier: DueNotifier;
  readonly #clock: Clock;

  constructor(queues: MemoryQueues, notifier: DueNotifier, clock: Clock) {
    this.#queues = queues;
    this.#notifier = notifier;
    this.#clock = clock;
  }

  async create(webhook: NewWebhook, { maxPerAccount }: { readonly maxPerAccount: number }) {
    const nowMs = this.#clock.nowMs();
    const existing = this.#queues.webhook(webhook);
    // A repeated command has the same result.
    if (existing !== undefined)
      return { outcome: 'created', webhook: webhookAsOf(existing.record, nowMs) } as const;
    const all = this.#of(webhook.accountId);
    if (all.length >= maxPerAccount) return { outcome: 'limit_reached' } as const;
    const record = newRecord(webhook, all.at(-1)?.record.sequence ?? 0, nowMs);
    this.#queues.addWebhook(record);
    return { outcome: 'created', webhook: record } as const;
  }

  async find(ref: WebhookRef) {
    const webhook = this.#queues.webhook(ref);
    return webhook === undefined ? null : webhookAsOf(webhook.record, this.#clock.nowMs());
  }

  async list(accountId: AccountId, { limit, after }: Page) {
    const nowMs = this.#clock.nowMs();
    return this.#of(accountId)
      .filter(({ record }) => record.sequence > (after ?? -1))
      .slice(0, limit)
      .map(({ record }) => webhookAsOf(record, nowMs));
  }

  async change(ref: WebhookRef, change: WebhookChange) {
    const changed = this.#change(ref, (record, nowMs) => changeWebhook(record, change, nowMs));
    if (changed === null) return null;
    const { webhook, before, nowMs } = changed;
    if (webhook.record !== before)
      this.#queues.setQueue(
        webhook,
        queueAfterChange(webhook.queue, before, webhook.record, nowMs),
      );
    this.#notifier.notify();
    return webhookAsOf(webhook.record, nowMs);
  }

  async rotateSecret(
    ref: WebhookRef,
    secret: { readonly encrypted: string; readonly overlapMs: number },
  ) {
    const changed = this.#change(ref, (record, nowMs) =>
      rotateWebhookSecret(record, secret, nowMs),
    );
    return changed && webhookAsOf(changed.webhook.record, changed.nowMs);
  }

  async enable(ref: WebhookRef) {
    const changed = this.#change(ref, enableWebhook);
    if (changed === null) return null;
    const { webhook, before, nowMs } = changed;
    this.#queues.setQueue(webhook, queueAfterEnabling(webhook.queue, webhook.record, nowMs));
    this.#notifier.notify();
    const outcome = before.disabledAtMs === null ? 'was_enabled' : 'enabled';
    return { outcome, webhook: webhookAsOf(webhook.record, nowMs) } as const;
  }

  async remove(ref: WebhookRef) {
    const webhook = this.#queues.webhook(ref);
    if (webhook === undefined) return false;
    this.#queues.removeWebhook(webhook);
    // The removal may have freed permits of the account.
    this.#notifier.notify();
    return true;
  }

  async listEncrypted({
    limit,
    cursor,
  }: {
    readonly limit: number;
    readonly cursor: string | null;
  }) {
    const nowMs = this.#clock.nowMs();
    const all = [...this.#queues.accounts].flatMap(({ webhooks }) => [...webhooks.values()]);
    const page = all
      .filter(({ name }) => name >= Number(cursor ?? 0))
      .sort((a, b) => a.name - b.name);
    const items = page.slice(0, limit).flatMap(({ record: { accountId, webhookId, secrets } }) => {
      const owner = { accountId, webhookId };
      return signingSecrets(secrets, nowMs).map(({ encrypted }) => ({ owner, encrypted }));
    });
    return { items, nextCursor: page[limit]?.name.toString() ?? null };
  }

  async replaceEncrypted(
    ref: WebhookRef,
    change: { readonly expected: string; readonly replacement: string },
  ) {
    const changed = this.#change(ref, (record) => reencryptWebhookSecret(record, change));
    const secrets = changed?.webhook.record.secrets ?? [];
    return secrets.some(({ encrypted }) => encrypted === change.replacement);
  }

  #of(accountId: AccountId): readonly MemoryWebhook[] {
    return [...(this.#queues.account(accountId)?.webhooks.values() ?? [])];
  }

  #change(ref: WebhookRef, change: (record: WebhookRecord, nowMs: number) => WebhookRecord) {
    const webhook = this.#queues.webhook(ref);
    if (webhook === undefined) return null;
    const nowMs = this.#clock.nowMs();
    const before = webhook.record;
    webhook.record = change(before, nowMs);
    return { webhook, before, nowMs };
  }
}
