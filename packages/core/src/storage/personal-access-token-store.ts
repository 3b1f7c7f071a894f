import type { AccountId } from '../account-id.ts';
import type { Page } from './page.ts';

/** Names one personal access token. Both parts are needed, so that nobody finds another user's token. */
export interface PersonalAccessTokenRef {
  readonly userId: string;
  readonly tokenId: string;
}

/** What is fixed when a personal access token is made. JSON-safe. */
export interface PersonalAccessTokenGrant<Id extends AccountId = AccountId>
  extends PersonalAccessTokenRef {
  /** What its owner calls it. */
  readonly name: string;
  /** The beginning of the token, by which its owner recognises it. Far too short to be used as one. */
  readonly prefix: string;
  /** Canonical order; never `auth`. At every use, the user store is asked which of them the user is entitled to. */
  readonly scopes: readonly string[];
  /** The one account that it acts for, or `null`. */
  readonly accountId: Id | null;
}

/** A personal access token about to be stored. */
export interface NewPersonalAccessToken extends PersonalAccessTokenGrant {
  /** SHA-256 of the token, base64url. The token itself never reaches a store. */
  readonly tokenHash: string;
  /** How long the token lives after its creation, ms. */
  readonly ttlMs: number;
}

/** A personal access token as the store holds it. Times are of the store's clock. */
export interface PersonalAccessTokenRecord<Id extends AccountId = AccountId>
  extends PersonalAccessTokenGrant<Id> {
  /**
   * Grows with every token of the user: the order of lists. Clients see it, so it must not reveal anything about other
   * users, as a count over all would.
   */
  readonly sequence: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly lastUsedAtMs: number | null;
}

/** What came of {@link PersonalAccessTokenStore.create}. */
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
   * Stores a token, if the user has room for it.
   *
   * Idempotency: the same `tokenHash` again changes nothing and returns the record, whether there is room or not. A
   * token that was revoked since is not revived, so it is remembered for as long as a command may be sent again.
   */
  create(
    token: NewPersonalAccessToken,
    limits: { readonly maxPerUser: number },
  ): Promise<CreatePersonalAccessTokenOutcome>;

  /** Finds a live token, and notes the use if the last noted one is `touchEveryMs` ago or longer. */
  use(
    tokenHash: string,
    options: { readonly touchEveryMs: number },
  ): Promise<PersonalAccessTokenRecord | null>;

  /** The user's live tokens, in the order of creation. */
  list(userId: string, page: Page): Promise<readonly PersonalAccessTokenRecord[]>;

  /** Revokes a token; returns whether it was live. */
  revoke(ref: PersonalAccessTokenRef): Promise<boolean>;

  /** Revokes a leaked token; `null` where there is none of this hash that is live. */
  revokeByHash(tokenHash: string): Promise<PersonalAccessTokenRecord | null>;

  /** Revokes all of a user's tokens; returns how many were live. */
  revokeAll(userId: string): Promise<number>;
}
