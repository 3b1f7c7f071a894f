import type { AccountId } from '../account-id.ts';
import type { EncryptedStore } from './encrypted-store.ts';
import type { Page } from './page.ts';

/** Names one webhook. Both parts are needed, so that nobody finds another account's webhook. */
export interface WebhookRef<Id extends AccountId = AccountId> {
  readonly accountId: Id;
  readonly webhookId: string;
}

/** All periods of a rate limit. */
export const RATE_LIMIT_PERIODS = ['second', 'minute'] as const;

/** The period of a rate limit. */
export type RateLimitPeriod = (typeof RATE_LIMIT_PERIODS)[number];

/** The length of each period, ms. */
export const RATE_LIMIT_PERIOD_MS: Readonly<Record<RateLimitPeriod, number>> = {
  second: 1_000,
  minute: 60_000,
};

/**
 * The highest possible `rateLimit`. A store keeps up to this many starts, each for a minute plus the rate margin,
 * whatever the limit and period are: both may change at any time, and then earlier starts still count.
 */
export const MAX_RATE_LIMIT = 10_000;

/** A signing secret as it is stored: encrypted with a key that the store never sees. */
export interface EncryptedSecret {
  readonly encrypted: string;
  /** When it stops signing, ms; `null`: the current secret. */
  readonly retiresAtMs: number | null;
}

/**
 * How many secrets of one webhook sign at a time. All of them sign every attempt, in one header, which must stay small
 * even if a client rotates secrets in a loop.
 */
export const SIGNING_SECRETS_KEPT = 10;

/** All reasons for which a webhook is disabled. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;

/** Why a webhook is disabled. `gone`: the receiver responded 410. `failing`: it has had only failures for days. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The settings of a webhook, which a client may change. */
export interface WebhookSettings {
  readonly url: string;
  /** How many attempts may start in any window of the period. */
  readonly rateLimit: number;
  readonly rateLimitPeriod: RateLimitPeriod;
}

/** A change of a webhook. An absent setting is unchanged. */
export type WebhookChange = Partial<WebhookSettings>;

/** A webhook to store. */
export interface NewWebhook extends WebhookRef, WebhookSettings {
  /** The event that it receives. */
  readonly event: string;
  readonly encryptedSecret: string;
}

/** A webhook as it is stored. Times are of the store's clock. JSON-safe. */
export interface WebhookRecord<Id extends AccountId = AccountId>
  extends WebhookRef<Id>,
    WebhookSettings {
  readonly event: string;
  /**
   * Grows with every webhook of the account, and is the order of lists. Clients see it, so it must not reveal anything
   * about other accounts, as a counter for all accounts would.
   */
  readonly sequence: number;
  /** The current signing secrets, newest first, without retired ones. */
  readonly secrets: readonly EncryptedSecret[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly disabledAtMs: number | null;
  readonly disabledReason: DisabledReason | null;
}

/** The outcome of {@link WebhookStore.create}. */
export type CreateWebhookOutcome =
  | { readonly outcome: 'created'; readonly webhook: WebhookRecord }
  /** The account has as many webhooks as allowed. Nothing was stored. */
  | { readonly outcome: 'limit_reached' };

/** The outcome of {@link WebhookStore.enable}. */
export interface EnableWebhookOutcome {
  /** `already_enabled`: the webhook was not disabled. */
  readonly outcome: 'enabled' | 'already_enabled';
  readonly webhook: WebhookRecord;
}

/**
 * The registry of webhooks. It is in one store with the {@link DeliveryStore}, because publishing and claiming read
 * webhooks in the same transition.
 *
 * Atomicity: every method is one transition. Idempotency: every method can be repeated with the same arguments, and has
 * the same result; only `enable` then returns `already_enabled`. `null` and `false` mean that the account has no such
 * webhook.
 *
 * What is encrypted: each current signing secret of every account. Re-encrypting a secret changes neither the time at
 * which it retires nor `updatedAtMs` of its webhook.
 */
export interface WebhookStore extends EncryptedStore<WebhookRef> {
  /**
   * Stores a webhook, unless the account has `maxPerAccount` others. Parallel calls do not exceed this limit either.
   */
  create(
    webhook: NewWebhook,
    limits: { readonly maxPerAccount: number },
  ): Promise<CreateWebhookOutcome>;

  /** A webhook as it is now. `null`: the account has no such webhook. */
  find(ref: WebhookRef): Promise<WebhookRecord | null>;

  /** In the order of creation. */
  list(accountId: AccountId, page: Page): Promise<readonly WebhookRecord[]>;

  /** Changes only the given settings. The change applies to attempts that start from now on. */
  change(ref: WebhookRef, change: WebhookChange): Promise<WebhookRecord | null>;

  /**
   * Adds a new current secret. The others retire after `overlapMs`, or at their own time if that is earlier. Beyond
   * {@link SIGNING_SECRETS_KEPT}, the oldest no longer sign.
   */
  rotateSecret(
    ref: WebhookRef,
    secret: { readonly encrypted: string; readonly overlapMs: number },
  ): Promise<WebhookRecord | null>;

  /** Enables a disabled webhook again, and resets the time of its failures. */
  enable(ref: WebhookRef): Promise<EnableWebhookOutcome | null>;

  /** Removes the webhook with all of its deliveries: none of them is attempted from now on. */
  remove(ref: WebhookRef): Promise<boolean>;
}
