import type { AccountId } from '../../account-id.ts';
import {
  changeWebhook,
  enableWebhook,
  reencryptWebhookSecret,
  rotateWebhookSecret,
  signingSecrets,
  webhookAsOf,
} from '../decisions/webhook-changes.ts';
import type { EncryptedPage } from '../encrypted-store.ts';
import type { Page } from '../page.ts';
import type {
  CreateWebhookOutcome,
  EnableWebhookOutcome,
  NewWebhook,
  WebhookChange,
  WebhookRecord,
  WebhookRef,
  WebhookStore,
} from '../webhook-store.ts';
import type { WebhookStates } from './webhook-states.ts';

/** Webhooks in memory. As everywhere here, no method awaits anything, so each is one transition. */
export class MemoryWebhookStore implements WebhookStore {
  readonly #states: WebhookStates;

  constructor(states: WebhookStates) {
    this.#states = states;
  }

  async create(
    webhook: NewWebhook,
    { maxPerAccount }: { readonly maxPerAccount: number },
  ): Promise<CreateWebhookOutcome> {
    const { nowMs } = this.#states;
    const known = this.#states.webhook(webhook);
    // A re-sent command is answered as the first one was.
    if (known !== undefined)
      return { outcome: 'created', webhook: webhookAsOf(known.record, nowMs) };
    const { accountId, webhookId, event, url, rateLimit, rateLimitPeriod } = webhook;
    if (this.#states.webhooks(accountId).size >= maxPerAccount) return { outcome: 'limit_reached' };
    const { record } = this.#states.addWebhook({
      accountId,
      webhookId,
      event,
      url,
      rateLimit,
      rateLimitPeriod,
      secrets: [{ encrypted: webhook.encryptedSecret, retiresAtMs: null }],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      disabledAtMs: null,
      disabledReason: null,
    });
    return { outcome: 'created', webhook: record };
  }

  async find(ref: WebhookRef): Promise<WebhookRecord | null> {
    const { nowMs } = this.#states;
    const webhook = this.#states.webhook(ref);
    return webhook === undefined ? null : webhookAsOf(webhook.record, nowMs);
  }

  async list(accountId: AccountId, { limit, after }: Page): Promise<readonly WebhookRecord[]> {
    const { nowMs } = this.#states;
    return [...this.#states.webhooks(accountId).values()]
      .filter(({ record }) => after === null || record.sequence > after)
      .slice(0, limit)
      .map(({ record }) => webhookAsOf(record, nowMs));
  }

  async change(ref: WebhookRef, change: WebhookChange): Promise<WebhookRecord | null> {
    return this.#update(ref, (record, nowMs) => changeWebhook(record, change, nowMs));
  }

  async rotateSecret(
    ref: WebhookRef,
    secret: { readonly encrypted: string; readonly overlapMs: number },
  ): Promise<WebhookRecord | null> {
    return this.#update(ref, (record, nowMs) => rotateWebhookSecret(record, secret, nowMs));
  }

  async enable(ref: WebhookRef): Promise<EnableWebhookOutcome | null> {
    const before = this.#states.webhook(ref)?.record;
    const enabled = this.#update(ref, enableWebhook);
    if (enabled === null) return null;
    this.#states.onChange?.enabled(enabled);
    const wasEnabled = before?.disabledAtMs === null;
    return { outcome: wasEnabled ? 'was_enabled' : 'enabled', webhook: enabled };
  }

  async remove(ref: WebhookRef): Promise<boolean> {
    return this.#states.removeWebhook(ref);
  }

  async listEncrypted(): Promise<EncryptedPage<WebhookRef>> {
    const { nowMs } = this.#states;
    const items = [...this.#states.allWebhooks()].flatMap(({ record }) => {
      const { accountId, webhookId } = record;
      const secrets = signingSecrets(record.secrets, nowMs);
      return secrets.map(({ encrypted }) => ({ owner: { accountId, webhookId }, encrypted }));
    });
    return { items, nextCursor: null };
  }

  async replaceEncrypted(
    ref: WebhookRef,
    { expected, replacement }: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean> {
    const webhook = this.#states.webhook(ref);
    if (webhook === undefined) return false;
    webhook.record = reencryptWebhookSecret(webhook.record, { expected, replacement });
    return webhook.record.secrets.some(({ encrypted }) => encrypted === replacement);
  }

  /** If `change` returns the record that it was given, nothing changes, however often it is repeated. */
  #update(
    ref: WebhookRef,
    change: (record: WebhookRecord, nowMs: number) => WebhookRecord,
  ): WebhookRecord | null {
    const { nowMs } = this.#states;
    const webhook = this.#states.webhook(ref);
    if (webhook === undefined) return null;
    const changed = change(webhook.record, nowMs);
    if (changed !== webhook.record) {
      const before = webhook.record;
      webhook.record = changed;
      this.#states.onChange?.changed(before, webhook.record);
    }
    return webhookAsOf(webhook.record, nowMs);
  }
}
