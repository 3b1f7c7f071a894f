import type * as v from 'valibot';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import type { FinishedLogin } from '../grants/finish-login.ts';
import type { IssuedTokens } from '../grants/issue-tokens.ts';
import type { PendingChallenge } from '../grants/start-challenge.ts';
import { jsonResponse } from '../http/json-response.ts';
import type { AuthResponse } from '../http/messages.ts';
import type {
  challengeAnswerV1,
  challengeAnswerV2,
  TokenSchemas,
  Version,
} from './token-schemas.ts';

/**
 * The response to a login that was not rejected.
 *
 * @param cookies - if the client asks for them
 */
export function loginResponse(
  login: FinishedLogin,
  version: Version,
  cookies?: SessionCookies,
): AuthResponse {
  return login.outcome === 'issued'
    ? tokenResponse(login.tokens, version, cookies)
    : challengeResponse(login.pending, version);
}

/** @param cookies - if the client asks for them */
export function tokenResponse(
  tokens: IssuedTokens,
  version: Version,
  cookies?: SessionCookies,
): AuthResponse {
  if (cookies === undefined) {
    return jsonResponse(200, version === 'v1' ? tokenBodyV1(tokens) : tokenBodyV2(tokens));
  }
  const { status, headers, body } = jsonResponse(200, cookieBody(tokens));
  return { status, headers, cookies: cookies.setCookies(tokens), body };
}

/**
 * 401 without `WWW-Authenticate`, a deliberate deviation from RFC 9110 11.6.1: with that header, standard OAuth clients
 * hide the body, and the challenge with it.
 */
function challengeResponse(pending: PendingChallenge, version: Version): AuthResponse {
  return jsonResponse(401, version === 'v1' ? challengeBodyV1(pending) : challengeBodyV2(pending));
}

// Each body is written out because serializing the result of a spread takes twice as long, at every refresh.

function tokenBodyV1(tokens: IssuedTokens): v.InferOutput<TokenSchemas['tokenAnswerV1']> {
  return {
    access_token: tokens.accessToken,
    token_type: 'bearer',
    expires_in: tokens.expiresInSeconds,
    refresh_token: tokens.refreshToken,
    accounts: tokens.accounts,
  };
}

function tokenBodyV2(tokens: IssuedTokens): v.InferOutput<TokenSchemas['tokenAnswerV2']> {
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

/** The same for every version: instead of the tokens, the content that a client would read in them. */
function cookieBody(tokens: IssuedTokens): v.InferOutput<TokenSchemas['cookieAnswer']> {
  return {
    sub: tokens.userId,
    token_type: 'bearer',
    expires_in: tokens.expiresInSeconds,
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
