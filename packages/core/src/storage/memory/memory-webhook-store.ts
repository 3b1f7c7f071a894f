import { isDeepStrictEqual } from 'node:util';
import type { Page } from '../page.ts';
import type { SealedPage } from '../sealed-store.ts';
import {
  type CreateWebhookOutcome,
  type EnableWebhookOutcome,
  type NewWebhook,
  type SealedSecret,
  SIGNING_SECRETS_KEPT,
  type WebhookChange,
  type WebhookRecord,
  type WebhookRef,
  type WebhookSettings,
  type WebhookStore,
} from '../webhook-store.ts';
import { signingSecrets } from './signing-secrets.ts';
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
    if (known !== undefined) return { outcome: 'created', webhook: asOf(known.record, nowMs) };
    const { accountId, webhookId, event, url, rateLimit, rateLimitPeriod } = webhook;
    if (this.#states.webhooks(accountId).size >= maxPerAccount) return { outcome: 'limit_reached' };
    const { record } = this.#states.addWebhook({
      accountId,
      webhookId,
      event,
      url,
      rateLimit,
      rateLimitPeriod,
      secrets: [{ sealed: webhook.sealedSecret, retiresAtMs: null }],
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
    return webhook === undefined ? null : asOf(webhook.record, nowMs);
  }

  async list(accountId: number, { limit, after }: Page): Promise<readonly WebhookRecord[]> {
    const { nowMs } = this.#states;
    return [...this.#states.webhooks(accountId).values()]
      .filter(({ record }) => after === null || record.sequence > after)
      .slice(0, limit)
      .map(({ record }) => asOf(record, nowMs));
  }

  async change(ref: WebhookRef, change: WebhookChange): Promise<WebhookRecord | null> {
    return this.#update(ref, (record) => {
      const { url = record.url } = change;
      const { rateLimit = record.rateLimit, rateLimitPeriod = record.rateLimitPeriod } = change;
      const settings: WebhookSettings = { url, rateLimit, rateLimitPeriod };
      const changed = { ...record, ...settings };
      return isDeepStrictEqual(changed, record) ? record : changed;
    });
  }

  async rotateSecret(
    ref: WebhookRef,
    { sealed, overlapMs }: { readonly sealed: string; readonly overlapMs: number },
  ): Promise<WebhookRecord | null> {
    return this.#update(ref, (record, nowMs) => {
      // A re-sent command: the first one has done it.
      if (record.secrets[0]?.sealed === sealed) return record;
      const retired = signingSecrets(record.secrets, nowMs).map(retireBy(nowMs + overlapMs));
      const secrets = [{ sealed, retiresAtMs: null }, ...retired].slice(0, SIGNING_SECRETS_KEPT);
      return { ...record, secrets };
    });
  }

  async enable(ref: WebhookRef): Promise<EnableWebhookOutcome | null> {
    let outcome: EnableWebhookOutcome['outcome'] = 'was_enabled';
    const enabled = this.#update(ref, (record) => {
      if (record.disabledAtMs === null) return record;
      outcome = 'enabled';
      return { ...record, disabledAtMs: null, disabledReason: null };
    });
    if (enabled !== null) this.#states.onChange?.enabled(enabled);
    return enabled && { outcome, webhook: enabled };
  }

  async remove(ref: WebhookRef): Promise<boolean> {
    return this.#states.removeWebhook(ref);
  }

  async listSealed(): Promise<SealedPage<WebhookRef>> {
    const { nowMs } = this.#states;
    const items = [...this.#states.allWebhooks()].flatMap(({ record }) => {
      const { accountId, webhookId } = record;
      const secrets = signingSecrets(record.secrets, nowMs);
      return secrets.map(({ sealed }) => ({ owner: { accountId, webhookId }, sealed }));
    });
    return { items, nextCursor: null };
  }

  async replaceSealed(
    ref: WebhookRef,
    { expected, replacement }: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean> {
    const webhook = this.#states.webhook(ref);
    if (webhook === undefined) return false;
    const { secrets } = webhook.record;
    if (secrets.some(({ sealed }) => sealed === replacement)) return true;
    if (!secrets.some(({ sealed }) => sealed === expected)) return false;
    const resealed = secrets.map((secret) =>
      secret.sealed === expected ? { ...secret, sealed: replacement } : secret,
    );
    webhook.record = { ...webhook.record, secrets: resealed };
    return true;
  }

  /** If `change` answers the record that it was given, nothing changes, however often it is repeated. */
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
      webhook.record = { ...changed, updatedAtMs: nowMs };
      this.#states.onChange?.changed(before, webhook.record);
    }
    return asOf(webhook.record, nowMs);
  }
}

function retireBy(atMs: number): (secret: SealedSecret) => SealedSecret {
  return ({ sealed, retiresAtMs }) => ({
    sealed,
    retiresAtMs: Math.min(retiresAtMs ?? Number.POSITIVE_INFINITY, atMs),
  });
}

/** The record without secrets that have retired by now. */
function asOf(record: WebhookRecord, nowMs: number): WebhookRecord {
  const secrets = signingSecrets(record.secrets, nowMs);
  return secrets === record.secrets ? record : { ...record, secrets };
}
