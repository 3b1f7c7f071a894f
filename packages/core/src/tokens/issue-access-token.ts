import { randomUUID } from 'node:crypto';
import { ACCESS_TOKEN_MAX_LENGTH, TOKEN_TYPE } from './access-token.ts';
import { type TokenAuthority, toClaims } from './access-token-claims.ts';
import type { AccessTokenInfo } from './access-token-info.ts';
import { signCompactJws } from './sign-compact-jws.ts';
import type { SigningKeys } from './signing-keys.ts';

/** What the login decided, and the token says on its behalf. */
export type AccessTokenSubject = Omit<
  AccessTokenInfo,
  'credential' | 'clientId' | 'tokenId' | 'issuedAtMs' | 'expiresAtMs'
>;

interface AccessTokenLife {
  readonly nowMs: number;
  readonly lifetimeSeconds: number;
}

/**
 * Signs an access token (RFC 9068) with the key that signs now, under a new `jti`.
 *
 * @throws RangeError where the token would exceed {@link ACCESS_TOKEN_MAX_LENGTH}, so that nobody is
 * handed a token that is then refused: the user has too many accounts.
 */
export type IssueAccessToken = (subject: AccessTokenSubject, life: AccessTokenLife) => string;

/** In whose name tokens are made, and for whom. */
export interface TokenIdentity extends TokenAuthority {
  /** `client_id`, which RFC 9068 demands and a first-party login has no other use for. */
  readonly clientId: string;
}

export function createIssueAccessToken(
  keys: SigningKeys,
  identity: TokenIdentity,
): IssueAccessToken {
  return (subject, { nowMs, lifetimeSeconds }) => {
    const info: AccessTokenInfo = {
      credential: 'access_token',
      userId: subject.userId,
      scopes: subject.scopes,
      accounts: subject.accounts,
      accountId: subject.accountId,
      sessionId: subject.sessionId,
      authTimeMs: subject.authTimeMs,
      amr: subject.amr,
      clientId: identity.clientId,
      tokenId: randomUUID(),
      issuedAtMs: nowMs,
      expiresAtMs: nowMs + lifetimeSeconds * 1000,
    };
    const token = signCompactJws(toClaims(info, identity), TOKEN_TYPE, keys.signingKey());
    if (token.length > ACCESS_TOKEN_MAX_LENGTH) {
      throw new RangeError(
        `An access token of ${token.length} characters exceeds ${ACCESS_TOKEN_MAX_LENGTH}: the user has ${info.accounts.length} accounts`,
      );
    }
    return token;
  };
}
