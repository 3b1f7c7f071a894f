import type * as v from 'valibot';
import type { FinishedLogin } from '../grants/finish-login.ts';
import type { IssuedTokens } from '../grants/issue-tokens.ts';
import type { PendingChallenge } from '../grants/start-challenge.ts';
import { jsonResponse } from '../http/json-response.ts';
import type { AuthResponse } from '../http/messages.ts';
import type {
  challengeAnswerV1,
  challengeAnswerV2,
  tokenAnswerV1,
  tokenAnswerV2,
  Version,
} from './token-schemas.ts';

/** What a login is answered that was not refused. */
export function loginResponse(login: FinishedLogin, version: Version): AuthResponse {
  return login.outcome === 'issued'
    ? tokenResponse(login.tokens, version)
    : challengeResponse(login.pending, version);
}

export function tokenResponse(tokens: IssuedTokens, version: Version): AuthResponse {
  return jsonResponse(200, version === 'v1' ? tokenBodyV1(tokens) : tokenBodyV2(tokens));
}

/**
 * 401 without `WWW-Authenticate`: with one, stock OAuth clients hide the body, and with it the challenge. A
 * stated deviation from RFC 9110 11.6.1.
 */
function challengeResponse(pending: PendingChallenge, version: Version): AuthResponse {
  return jsonResponse(401, version === 'v1' ? challengeBodyV1(pending) : challengeBodyV2(pending));
}

// Each body is spelt out: serializing the result of a spread takes twice as long, and would do so at every refresh.

function tokenBodyV1(tokens: IssuedTokens): v.InferOutput<typeof tokenAnswerV1> {
  return {
    access_token: tokens.accessToken,
    token_type: 'bearer',
    expires_in: tokens.expiresInSeconds,
    refresh_token: tokens.refreshToken,
    accounts: tokens.accounts,
  };
}

function tokenBodyV2(tokens: IssuedTokens): v.InferOutput<typeof tokenAnswerV2> {
  return {
    access_token: tokens.accessToken,
    token_type: 'bearer',
    expires_in: tokens.expiresInSeconds,
    refresh_token: tokens.refreshToken,
    accounts: tokens.accounts,
    scope: tokens.scopes.join(' '),
    refresh_expires_in: tokens.refreshExpiresInSeconds,
  };
}

function challengeBodyV1(pending: PendingChallenge): v.InferOutput<typeof challengeAnswerV1> {
  return { challenge: pending.challenge };
}

function challengeBodyV2(pending: PendingChallenge): v.InferOutput<typeof challengeAnswerV2> {
  return {
    challenge: pending.challenge,
    error: 'mfa_required',
    error_description: 'Answer the challenge with a code of the second factor.',
    challenge_expires_in: pending.expiresInSeconds,
    methods: pending.methods,
  };
}
