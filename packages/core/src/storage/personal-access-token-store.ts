import type { AccountId } from '../account-id.ts';
import type { Page } from './page.ts';

/** Names one personal access token. Both parts are needed, so that nobody finds another user's token. */
export interface PersonalAccessTokenRef {
  readonly userId: string;
  readonly tokenId: string;
}

/** The fields of a personal access token that never change. JSON-safe. */
export interface PersonalAccessTokenGrant<Id extends AccountId = AccountId>
  extends PersonalAccessTokenRef {
  /** The name that its owner has chosen. */
  readonly name: string;
  /** The beginning of the token, so that its owner recognises it. Far too short to be used as a token. */
  readonly prefix: string;
  /**
   * The scopes that were granted, in canonical order; never `auth`. At every use, the user store returns the scopes to
   * which the user is still entitled.
   */
  readonly scopes: readonly string[];
  /** The account to which the token is bound, or `null`. */
  readonly accountId: Id | null;
}

/** A personal access token to store. */
export interface NewPersonalAccessToken extends PersonalAccessTokenGrant {
  /** SHA-256 of the token, base64url. The token itself never reaches a store. */
  readonly tokenHash: string;
  /** How long the token lives after its creation, ms. */
  readonly ttlMs: number;
}

/** A personal access token as it is stored. Times are of the store's clock. */
export interface PersonalAccessTokenRecord<Id extends AccountId = AccountId>
  extends PersonalAccessTokenGrant<Id> {
  /**
   * Grows with every token of the user, and is the order of lists. Clients see it, so it must not reveal anything about
   * other users, as a counter for all users would.
   */
  readonly sequence: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly lastUsedAtMs: number | null;
}

/** The outcome of {@link PersonalAccessTokenStore.create}. */
export type CreatePersonalAccessTokenOutcome =
  | { readonly outcome: 'created'; readonly token: PersonalAccessTokenRecord }
  /** The user has as many live tokens as allowed. Nothing was stored. */
  | { readonly outcome: 'limit_reached' };

/**
 * Personal access tokens, found by the hash of the token.
 *
 * Atomicity: every method is one transition. Idempotency: every method can be repeated. Expiry: expired and revoked
 * tokens are not found, not listed and not counted.
 */
export interface PersonalAccessTokenStore {
  /**
   * Stores a token, unless the user has reached the limit.
   *
   * Idempotency: the same `tokenHash` again changes nothing and returns the record, even if the limit is reached. A
   * token that was revoked in between is not revived, so it is kept for as long as a command may be sent again.
   */
  create(
    token: NewPersonalAccessToken,
    limits: { readonly maxPerUser: number },
  ): Promise<CreatePersonalAccessTokenOutcome>;

  /** Finds a live token, and records its use unless one was recorded less than `touchEveryMs` ago. */
  use(
    tokenHash: string,
    options: { readonly touchEveryMs: number },
  ): Promise<PersonalAccessTokenRecord | null>;

  /** The user's live tokens, in the order of creation. */
  list(userId: string, page: Page): Promise<readonly PersonalAccessTokenRecord[]>;

  /** Revokes a token; returns whether it was live. */
  revoke(ref: PersonalAccessTokenRef): Promise<boolean>;

  /** Revokes a leaked token; `null` if there is no live token with this hash. */
  revokeByHash(tokenHash: string): Promise<PersonalAccessTokenRecord | null>;

  /** Revokes all of a user's tokens; returns how many were live. */
  revokeAll(userId: string): Promise<number>;
}
