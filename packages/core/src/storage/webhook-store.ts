import type { Page } from './page.ts';
import type { SealedStore } from './sealed-store.ts';

/** Names one webhook. Both parts are needed, so that nobody finds the webhook of another account. */
export interface WebhookRef {
  readonly accountId: number;
  readonly webhookId: string;
}

/** What a rate is counted over. */
export type RateLimitPeriod = 'second' | 'minute';

/** How long each period is, ms. */
export const RATE_LIMIT_PERIOD_MS: Readonly<Record<RateLimitPeriod, number>> = {
  second: 1_000,
  minute: 60_000,
};

/**
 * The highest `rateLimit` there is. A store remembers as many starts, each for a minute and the margin of the rate,
 * whatever limit and period are: both may be changed at any time, and what started before counts.
 */
export const MAX_RATE_LIMIT = 10_000;

/** A signing secret as it is stored: under a key that the store never sees. */
export interface SealedSecret {
  readonly sealed: string;
  /** When it ceases to sign, ms; `null`: the current one. */
  readonly retiresAtMs: number | null;
}

/**
 * Secrets of one webhook that sign at a time. Every attempt is signed by all of them, in one header: whoever rotates in a
 * loop is not to swell it.
 */
export const SIGNING_SECRETS_KEPT = 10;

/** Why nothing is sent to a webhook: it answered 410, or nothing but failures for days. */
export type DisabledReason = 'gone' | 'failing';

/** What a client may change of a webhook. Absent: as it was. */
export interface WebhookChange {
  readonly url?: string;
  /** Starts of deliveries in any window of the period. */
  readonly rateLimit?: number;
  readonly rateLimitPeriod?: RateLimitPeriod;
}

/** A webhook about to be stored. */
export interface NewWebhook extends WebhookRef, Required<WebhookChange> {
  /** The one event that it is for. */
  readonly event: string;
  readonly sealedSecret: string;
}

/** A webhook as the store holds it. Times are of the store's clock. JSON-safe. */
export interface WebhookRecord extends WebhookRef, Required<WebhookChange> {
  readonly event: string;
  /**
   * Grows with every webhook of the account: the order of lists. Clients are shown it, so that it must not tell of
   * other accounts, as a count over all would.
   */
  readonly sequence: number;
  /** Those that sign now, newest first. What has retired is left out. */
  readonly secrets: readonly SealedSecret[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly disabledAtMs: number | null;
  readonly disabledReason: DisabledReason | null;
}

/** What came of {@link WebhookStore.create}. */
export type CreateWebhookOutcome =
  | { readonly outcome: 'created'; readonly webhook: WebhookRecord }
  /** The account has as many as it may. Nothing was stored. */
  | { readonly outcome: 'limit_reached' };

/** What came of {@link WebhookStore.enable}. */
export interface EnableWebhookOutcome {
  /** `was_enabled`: it was not disabled, or somebody else has taken that back. */
  readonly outcome: 'enabled' | 'was_enabled';
  readonly webhook: WebhookRecord;
}

/**
 * The registry of webhooks. It shares one place with the {@link DeliveryStore}, since what is published and
 * what is sent depend on it in the same transition.
 *
 * Atomicity: every method is one transition. Idempotency: every method can be repeated with the same
 * arguments, and answers as before; `enable` says then that it was enabled. `null` and `false` say that the account has no such webhook.
 *
 * What is sealed: each secret that signs, of every account. Sealed anew, one retires when it would have, and its
 * webhook was not updated.
 */
export interface WebhookStore extends SealedStore<WebhookRef> {
  create(
    webhook: NewWebhook,
    limits: { readonly maxPerAccount: number },
  ): Promise<CreateWebhookOutcome>;

  find(ref: WebhookRef): Promise<WebhookRecord | null>;

  /** In the order of creation. */
  list(accountId: number, page: Page): Promise<readonly WebhookRecord[]>;

  /** Changes what is given, and nothing else. What starts from now on goes by it. */
  change(ref: WebhookRef, change: WebhookChange): Promise<WebhookRecord | null>;

  /**
   * Puts a secret before the others, which retire after `overlapMs`, unless they did before. Of more than
   * {@link SIGNING_SECRETS_KEPT} the oldest sign no more.
   */
  rotateSecret(
    ref: WebhookRef,
    secret: { readonly sealed: string; readonly overlapMs: number },
  ): Promise<WebhookRecord | null>;

  /** Takes back that the webhook is disabled, and forgets how long it has been failing. */
  enable(ref: WebhookRef): Promise<EnableWebhookOutcome | null>;

  /** Removes the webhook with all of its deliveries: none starts from now on. */
  remove(ref: WebhookRef): Promise<boolean>;
}
