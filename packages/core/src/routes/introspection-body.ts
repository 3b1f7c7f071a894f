import type * as v from 'valibot';
import type { TokenInfo } from '../introspection-and-revocation/introspect-token.ts';
import type { TokenIdentity } from '../tokens/issue-access-token.ts';
import type { IntrospectionAnswer } from './introspection-schemas.ts';

/**
 * The introspection response for a token, by the names of its claims.
 *
 * Security: a refresh token has no `aud` and a `token_type` of its own, so that services do not mistake it for an
 * access token (RFC 9700 4.14).
 */
export function introspectionBody(
  token: TokenInfo | null,
  { issuer, audience, clientId }: TokenIdentity,
): v.InferOutput<IntrospectionAnswer> {
  if (token === null) return { active: false };
  const { userId, scopes, accountId, issuedAtMs, expiresAtMs } = token;
  const common = {
    active: true as const,
    scope: scopes.join(' '),
    sub: userId,
    iss: issuer,
    iat: seconds(issuedAtMs),
    exp: seconds(expiresAtMs),
    ...(accountId === null ? {} : { account_id: accountId }),
  };
  switch (token.credential) {
    case 'access_token': {
      const { tokenId: jti, sessionId: sid, accounts, clientId: client_id } = token;
      return { ...common, token_type: 'bearer', aud: audience, client_id, jti, sid, accounts };
    }
    case 'personal_access_token': {
      const { tokenId: jti, accounts } = token;
      return { ...common, token_type: 'bearer', aud: audience, jti, accounts };
    }
    case 'refresh_token':
      return {
        ...common,
        token_type: 'refresh_token',
        client_id: clientId,
        sid: token.sessionId,
      };
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
