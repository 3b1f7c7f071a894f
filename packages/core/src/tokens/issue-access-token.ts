import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { ACCESS_TOKEN_MAX_LENGTH, TOKEN_TYPE } from './access-token.ts';
import { type TokenAuthority, toClaims } from './access-token-claims.ts';
import type { AccessTokenInfo } from './access-token-info.ts';
import { signCompactJws } from './sign-compact-jws.ts';

/** The content of an access token, except for what each issuance adds. */
export type AccessTokenSubject = Omit<
  AccessTokenInfo,
  'credential' | 'clientId' | 'tokenId' | 'issuedAtMs' | 'expiresAtMs'
>;

interface AccessTokenLife {
  readonly nowMs: number;
  readonly lifetimeSeconds: number;
}

/**
 * Signs an access token (RFC 9068) with the current signing key, under a new `jti`.
 *
 * @throws {RangeError} if the token would exceed {@link ACCESS_TOKEN_MAX_LENGTH}, and so be rejected later: the caller
 * must ask `TokenFits` before
 */
export type IssueAccessToken = (subject: AccessTokenSubject, life: AccessTokenLife) => string;

/** The issuer, audience and client of all tokens. */
export interface TokenIdentity extends TokenAuthority {
  /** `client_id`: RFC 9068 demands it; a first-party login has no other use for it. */
  readonly clientId: string;
}

export function createIssueAccessToken(
  keys: SigningKeys,
  identity: TokenIdentity,
): IssueAccessToken {
  return (subject, { nowMs, lifetimeSeconds }) => {
    const claims = claimsOf(subject, identity, {
      tokenId: randomUUID(),
      nowMs,
      lifetimeSeconds,
    });
    const token = signCompactJws(claims, TOKEN_TYPE, keys.signingKey());
    if (token.length > ACCESS_TOKEN_MAX_LENGTH) {
      throw new RangeError(
        `An access token of ${token.length} characters exceeds ${ACCESS_TOKEN_MAX_LENGTH}: the user has ${subject.accounts.length} accounts`,
      );
    }
    return token;
  };
}

/** The claims of a token for `subject`. */
export function claimsOf(
  subject: AccessTokenSubject,
  identity: TokenIdentity,
  { tokenId, nowMs, lifetimeSeconds }: AccessTokenLife & { readonly tokenId: string },
): JWTPayload {
  const info: AccessTokenInfo = {
    credential: 'access_token',
    userId: subject.userId,
    scopes: subject.scopes,
    accounts: subject.accounts,
    accountId: subject.accountId,
    sessionId: subject.sessionId,
    authTimeMs: subject.authTimeMs,
    amr: subject.amr,
    claims: subject.claims,
    clientId: identity.clientId,
    tokenId,
    issuedAtMs: nowMs,
    expiresAtMs: nowMs + lifetimeSeconds * 1000,
  };
  return toClaims(info, identity);
}
