import type { AccountId } from '../account-id.ts';
import type { Scope } from '../scopes/scope.ts';
import type { HostClaims } from './host-claims.ts';

/** The content of a verified access token. */
export interface AccessTokenInfo<Scopes extends string = Scope, Id extends AccountId = AccountId> {
  /** Discriminates this credential from other kinds. */
  readonly credential: 'access_token';
  /** The claim `sub`: `User.id`. */
  readonly userId: string;
  /** Canonical order, at least one. */
  readonly scopes: readonly Scopes[];
  /**
   * The accounts that the user could access at the issuance; if the token is bound to an account, only that account.
   */
  readonly accounts: readonly Id[];
  /** The one account that the token acts for, or `null`. */
  readonly accountId: Id | null;
  /** The claim `sid`: the login that the token comes from. */
  readonly sessionId: string;
  readonly clientId: string;
  /** The claim `jti`. */
  readonly tokenId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** When the user was authenticated, ms; a refresh does not change it. */
  readonly authTimeMs: number;
  /**
   * How the user was authenticated (RFC 8176): `pwd`, `otp`, `mfa`, and methods that the host passes to `auth.login`.
   */
  readonly amr: readonly string[];
  /** The claims that `accessTokenClaims` has added. */
  readonly claims: HostClaims;
}
