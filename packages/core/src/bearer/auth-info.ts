import type { AccountId } from '../account-id.ts';
import type { PersonalAccessTokenInfo } from '../personal-access-tokens/personal-access-token-info.ts';
import type { Scope } from '../scopes/scope.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { HostClaims } from '../tokens/host-claims.ts';

/**
 * The user of a request, and what the request may do: `req.auth` in Express, `ctx.state.auth` in Koa. A union with one
 * member for each kind of credential, discriminated by `credential`; kinds may be added in minor versions. Every kind
 * has `userId`, `scopes`, `accounts`, `accountId`, `tokenId`, `issuedAtMs`, `expiresAtMs` and `claims`: check
 * `credential` before you read anything else.
 */
export type AuthInfo<
  Claims extends object = HostClaims,
  Scopes extends string = Scope,
  Id extends AccountId = number,
> =
  | (Omit<AccessTokenInfo<Scopes, Id>, 'claims'> & { readonly claims: Readonly<Claims> })
  | PersonalAccessTokenInfo<Scopes, Id>;

/** {@link AuthInfo} of an app with any claims, scopes and account ids. */
export type AnyAuthInfo = AuthInfo<HostClaims, Scope, AccountId>;
