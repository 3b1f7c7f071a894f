import type { AccountId } from '../account-id.ts';
import type { Scope } from '../scopes/scope.ts';

/** A personal access token in use, and the rights of its owner at this moment. */
export interface PersonalAccessTokenInfo<
  Scopes extends string = Scope,
  Id extends AccountId = AccountId,
> {
  /** Discriminates this credential from other kinds. */
  readonly credential: 'personal_access_token';
  /** The owner: `User.id`. */
  readonly userId: string;
  /** The token's scopes that its owner is entitled to now: at least one, in canonical order, none `stepUp`. */
  readonly scopes: readonly Scopes[];
  /** The accounts that the owner can access now, even if the token is bound to one. */
  readonly accounts: readonly Id[];
  /** The one account that the token acts for, or `null`. */
  readonly accountId: Id | null;
  /** Names the token in lists and events. */
  readonly tokenId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** None: `accessTokenClaims` is for access tokens. */
  readonly claims: Readonly<Record<string, undefined>>;
}
