import type { Scope } from '../scope.ts';

/** What a verified access token says: `req.auth` in Express, `ctx.state.auth` in Koa. */
export interface AccessTokenInfo {
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** The accounts that the user could access when the token was issued. */
  readonly accounts: readonly number[];
  /** The one account that the token acts for, or `null`. */
  readonly accountId: number | null;
  readonly sessionId: string;
  readonly clientId: string;
  /** The claim `jti`. */
  readonly tokenId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  readonly authTimeMs: number;
  readonly amr: readonly string[];
}
