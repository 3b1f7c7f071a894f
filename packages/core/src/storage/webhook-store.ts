import type { AccountId } from '../account-id.ts';
import type { EncryptedStore } from './encrypted-store.ts';
import type { Page } from './page.ts';

/** Names one webhook. Both parts are needed, so that nobody finds another account's webhook. */
export interface WebhookRef<Id extends AccountId = AccountId> {
  readonly accountId: Id;
  readonly webhookId: string;
}

/** All periods over which a rate can be counted. */
export const RATE_LIMIT_PERIODS = ['second', 'minute'] as const;

/** The period over which a rate is counted. */
export type RateLimitPeriod = (typeof RATE_LIMIT_PERIODS)[number];

/** How long each period is, ms. */
export const RATE_LIMIT_PERIOD_MS: Readonly<Record<RateLimitPeriod, number>> = {
  second: 1_000,
  minute: 60_000,
};

/**
 * The highest `rateLimit` there is. A store remembers as many starts, each for a minute plus the margin of the rate,
 * whatever limit and period are: both may be changed at any time, and earlier starts still count.
 */
export const MAX_RATE_LIMIT = 10_000;

/** A signing secret as it is stored: under a key that the store never sees. */
export interface EncryptedSecret {
  readonly encrypted: string;
  /** When it stops signing, ms; `null`: it is the current one. */
  readonly retiresAtMs: number | null;
}

/**
 * How many secrets of one webhook sign at a time. All of them sign every attempt, in one header: a client that rotates
 * in a loop must not swell it.
 */
export const SIGNING_SECRETS_KEPT = 10;

/** All reasons for which a webhook is disabled. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;

/** Why nothing is sent to a webhook: it answered 410, or nothing but failures for days. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** What a client sets of a webhook, and may change. */
export interface WebhookSettings {
  readonly url: string;
  /** How many attempts may start in any window of the period. */
  readonly rateLimit: number;
  readonly rateLimitPeriod: RateLimitPeriod;
}

/** A change of a webhook. An absent setting stays as it was. */
export type WebhookChange = Partial<WebhookSettings>;

/** A webhook about to be stored. */
export interface NewWebhook extends WebhookRef, WebhookSettings {
  /** The one event that it is for. */
  readonly event: string;
  readonly encryptedSecret: string;
}

/** A webhook as the store holds it. Times are of the store's clock. JSON-safe. */
export interface WebhookRecord<Id extends AccountId = AccountId>
  extends WebhookRef<Id>,
    WebhookSettings {
  readonly event: string;
  /**
   * Grows with every webhook of the account: the order of lists. Clients see it, so it must not reveal anything about
   * other accounts, as a count over all would.
   */
  readonly sequence: number;
  /** The secrets that sign now, newest first. Retired ones are left out. */
  readonly secrets: readonly EncryptedSecret[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly disabledAtMs: number | null;
  readonly disabledReason: DisabledReason | null;
}

/** What came of {@link WebhookStore.create}. */
export type CreateWebhookOutcome =
  | { readonly outcome: 'created'; readonly webhook: WebhookRecord }
  /** The account has as many webhooks as allowed. Nothing was stored. */
  | { readonly outcome: 'limit_reached' };

/** What came of {@link WebhookStore.enable}. */
export interface EnableWebhookOutcome {
  /** `was_enabled`: it was not disabled, or another call has enabled it. */
  readonly outcome: 'enabled' | 'was_enabled';
  readonly webhook: WebhookRecord;
}

/**
 * The registry of webhooks. It shares one place with the {@link DeliveryStore}, since publishing and sending read it in
 * the same transition.
 *
 * Atomicity: every method is one transition. Idempotency: every method can be repeated with the same arguments, and
 * answers as before; only `enable` then says `was_enabled`. `null` and `false` mean that the account has no such
 * webhook.
 *
 * What is encrypted: each secret that signs, of every account. Encrypting one again changes neither when it retires nor
 * `updatedAtMs` of its webhook.
 */
export interface WebhookStore extends EncryptedStore<WebhookRef> {
  /** Stores a webhook, unless the account has `maxPerAccount` others: parallel calls together do not exceed it. */
  create(
    webhook: NewWebhook,
    limits: { readonly maxPerAccount: number },
  ): Promise<CreateWebhookOutcome>;

  /** A webhook as it is now. `null`: the account has no such webhook. */
  find(ref: WebhookRef): Promise<WebhookRecord | null>;

  /** In the order of creation. */
  list(accountId: AccountId, page: Page): Promise<readonly WebhookRecord[]>;

  /** Changes only what is given. It applies to attempts that start from now on. */
  change(ref: WebhookRef, change: WebhookChange): Promise<WebhookRecord | null>;

  /**
   * Puts a secret before the others, which retire after `overlapMs`, or when they would have if that is earlier. Beyond
   * {@link SIGNING_SECRETS_KEPT}, the oldest no longer sign.
   */
  rotateSecret(
    ref: WebhookRef,
    secret: { readonly encrypted: string; readonly overlapMs: number },
  ): Promise<WebhookRecord | null>;

  /** Enables a disabled webhook again, and forgets how long it has been failing. */
  enable(ref: WebhookRef): Promise<EnableWebhookOutcome | null>;

  /** Removes the webhook with all of its deliveries: none of them starts from now on. */
  remove(ref: WebhookRef): Promise<boolean>;
}
