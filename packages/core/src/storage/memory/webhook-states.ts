import type { AccountId } from '../../account-id.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WebhookRecord, WebhookRef } from '../webhook-store.ts';
import type { StoredWebhook } from './stored-webhook.ts';

/** Who has to know what becomes of webhooks. */
export interface WebhookListener {
  changed(before: WebhookRecord, after: WebhookRecord): void;
  /** Whether or not it was disabled. */
  enabled(ref: WebhookRef): void;
  removed(ref: WebhookRef): void;
}

/** All webhooks, by account. */
export class WebhookStates {
  /** Told what users and hosts change of webhooks. */
  onChange: WebhookListener | undefined;

  readonly #clock: Clock;
  /** Of each account in the order of creation. */
  readonly #accounts = new Map<AccountId, Map<string, StoredWebhook>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get nowMs(): number {
    return this.#clock.nowMs();
  }

  /** How many accounts have any. */
  get size(): number {
    return this.#accounts.size;
  }

  /** The webhooks of an account, in the order of creation. */
  webhooks(accountId: AccountId): ReadonlyMap<string, StoredWebhook> {
    return this.#accounts.get(accountId) ?? new Map();
  }

  /** The webhooks of all accounts. */
  *allWebhooks(): Generator<StoredWebhook> {
    for (const webhooks of this.#accounts.values()) yield* webhooks.values();
  }

  webhook({ accountId, webhookId }: WebhookRef): StoredWebhook | undefined {
    return this.#accounts.get(accountId)?.get(webhookId);
  }

  addWebhook(webhook: Omit<WebhookRecord, 'sequence'>): StoredWebhook {
    const { accountId, webhookId } = webhook;
    const webhooks = this.#accounts.get(accountId) ?? new Map<string, StoredWebhook>();
    const newest = [...webhooks.values()].at(-1)?.record.sequence ?? 0;
    // Derived from the time, so that an account without webhooks need not be remembered.
    const sequence = Math.max(webhook.createdAtMs, newest + 1);
    const stored: StoredWebhook = { record: { ...webhook, sequence } };
    this.#accounts.set(accountId, webhooks);
    webhooks.set(webhookId, stored);
    return stored;
  }

  removeWebhook(ref: WebhookRef): boolean {
    const webhooks = this.#accounts.get(ref.accountId);
    if (webhooks === undefined || !webhooks.delete(ref.webhookId)) return false;
    if (webhooks.size === 0) this.#accounts.delete(ref.accountId);
    this.onChange?.removed(ref);
    return true;
  }
}
