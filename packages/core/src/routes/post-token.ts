import { AuthError } from '../errors.ts';
import type { PasswordGrant } from '../grants/password-grant.ts';
import type { RefreshGrant } from '../grants/refresh-grant.ts';
import type { AuthRequest } from '../http/messages.ts';
import { type BodyFields, parseBody, readBody } from '../http/read-body.ts';
import { readQuery } from '../http/read-query.ts';
import { checkPassword } from '../passwords/password-text.ts';
import { readGrantType } from './grant-type.ts';
import { requestOrigin } from './request-origin.ts';
import { requestedScopes } from './requested-scopes.ts';
import type { Route } from './route.ts';
import { challengeResponse, tokenResponse } from './token-responses.ts';
import {
  challengeAnswer,
  passwordGrantFields,
  refreshGrantFields,
  tokenAnswer,
  versionQuery,
} from './token-schemas.ts';

const FORMATS = ['json', 'form'] as const;
/** The first is the default. */
const GRANTS = ['password', 'refresh_token'] as const;
const query = versionQuery('v2');

/** `POST /token`: login by password, or refresh. */
export function postToken(passwordGrant: PasswordGrant, refreshGrant: RefreshGrant): Route {
  return {
    method: 'POST',
    path: '/token',
    operationId: 'createToken',
    summary: 'Log in by password, or refresh',
    query,
    body: { schemas: [passwordGrantFields, refreshGrantFields], formats: FORMATS },
    answers: {
      200: { description: 'The tokens, in the representation of `version`.', schema: tokenAnswer },
      401: { description: 'A second factor is needed.', schema: challengeAnswer },
    },
    errors: [
      'unsupported_grant_type',
      'invalid_scope',
      'invalid_grant',
      'access_denied',
      'too_many_requests',
    ],

    async handle(request) {
      const { version } = readQuery(query, request.query);
      const body = readBody(request, FORMATS);
      if (readGrantType(body, GRANTS) === 'refresh_token') {
        return tokenResponse(await refreshGrant(readRefresh(request, body)), version);
      }
      const result = await passwordGrant({ ...readPassword(request, body), version });
      return result.outcome === 'issued'
        ? tokenResponse(result.tokens, version)
        : challengeResponse(result.pending, version);
    },
  };
}

function readPassword(request: AuthRequest, body: BodyFields) {
  const fields = parseBody(passwordGrantFields, body);
  // Before look-up and hashing, and alike for every user.
  const checked = checkPassword(fields.password);
  if (checked.outcome === 'refused') {
    throw new AuthError('invalid_request', 'The request is malformed.', {
      fields: [{ field: 'password', message: checked.message }],
    });
  }
  return {
    username: fields.username,
    password: fields.password,
    accountId: fields.account_id ?? null,
    scopes: requestedScopes(fields) ?? (['user'] as const),
    expirationSeconds: fields.expiration_seconds,
    origin: requestOrigin(request),
  };
}

function readRefresh(request: AuthRequest, body: BodyFields) {
  const fields = parseBody(refreshGrantFields, body);
  return {
    refreshToken: fields.refresh_token,
    accountId: fields.account_id ?? null,
    scopes: requestedScopes(fields),
    expirationSeconds: fields.expiration_seconds,
    origin: requestOrigin(request),
  };
}
