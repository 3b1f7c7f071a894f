import type { Scope } from '../scope.ts';

/** What is known of a personal access token that was used, and of its owner at this moment. */
export interface PersonalAccessTokenInfo {
  /** Tells it apart from other kinds of credentials. */
  readonly credential: 'personal_access_token';
  /** The owner: `User.id`. */
  readonly userId: string;
  /** Those of the token's scopes that its owner is entitled to now. Canonical order, at least one, never `auth`. */
  readonly scopes: readonly Scope[];
  /** The accounts that the owner can access now, whether the token is bound to one or not. */
  readonly accounts: readonly number[];
  /** The one account that the token acts for, or `null`. */
  readonly accountId: number | null;
  /** Names the token in lists and events. */
  readonly tokenId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** None: `accessTokenClaims` is for access tokens. */
  readonly claims: Readonly<Record<string, undefined>>;
}
