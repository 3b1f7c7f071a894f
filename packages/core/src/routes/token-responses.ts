import type { IssuedTokens } from '../grants/issue-tokens.ts';
import type { PendingChallenge } from '../grants/password-grant.ts';
import { jsonResponse } from '../http/json-response.ts';
import type { AuthResponse } from '../http/messages.ts';

/** What `version` picks: a representation, never a behaviour. */
export type Version = 'v1' | 'v2';

export function tokenResponse(tokens: IssuedTokens, version: Version): AuthResponse {
  const isV2 = version === 'v2';
  return jsonResponse(200, {
    access_token: tokens.accessToken,
    token_type: 'bearer',
    expires_in: tokens.expiresInSeconds,
    refresh_token: tokens.refreshToken,
    accounts: tokens.accounts,
    // JSON leaves out what is undefined.
    scope: isV2 ? tokens.scopes.join(' ') : undefined,
    refresh_expires_in: isV2 ? tokens.refreshExpiresInSeconds : undefined,
  });
}

/**
 * 401 without `WWW-Authenticate`: with one, stock OAuth clients hide the body, and with it the challenge. A
 * stated deviation from RFC 9110 11.6.1.
 */
export function challengeResponse(pending: PendingChallenge, version: Version): AuthResponse {
  const v1 = { challenge: pending.challenge };
  const body =
    version === 'v1'
      ? v1
      : {
          ...v1,
          error: 'mfa_required',
          error_description: 'Answer the challenge with a code of the second factor.',
          challenge_expires_in: pending.expiresInSeconds,
          methods: pending.methods,
        };
  return jsonResponse(401, body);
}
