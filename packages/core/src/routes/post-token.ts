import type * as v from 'valibot';
import type { ClientInfo } from '../client-info/client-info.ts';
import { malformedFields } from '../errors.ts';
import type { PasswordGrant, PasswordGrantRequest } from '../grants/password-grant.ts';
import type { RefreshGrant, RefreshGrantRequest } from '../grants/refresh-grant.ts';
import { checkPassword } from '../passwords/password-text.ts';
import { defineRoute } from './define-route.ts';
import { requestClient } from './request-client.ts';
import { requestedScopes } from './requested-scopes.ts';
import type { Route } from './route.ts';
import { grantBody } from './token-body.ts';
import { loginResponse, tokenResponse } from './token-responses.ts';
import {
  challengeAnswer,
  type passwordGrantFields,
  type refreshGrantFields,
  tokenAnswer,
  tokenGrants,
  type Version,
  versionQuery,
} from './token-schemas.ts';

/** `POST /token`: login by password, or refresh. */
export function postToken(passwordGrant: PasswordGrant, refreshGrant: RefreshGrant): Route {
  return defineRoute({
    method: 'POST',
    path: '/token',
    operationId: 'issueToken',
    summary: 'Log in by password, or refresh',
    query: versionQuery('v2'),
    body: grantBody(tokenGrants),
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

    async handle({ query: { version }, body }, request) {
      const client = requestClient(request);
      if (body.grant_type === 'refresh_token') {
        return tokenResponse(await refreshGrant(refreshRequest(body, client)), version);
      }
      return loginResponse(await passwordGrant(passwordRequest(body, version, client)), version);
    },
  });
}

function passwordRequest(
  fields: v.InferOutput<typeof passwordGrantFields>,
  version: Version,
  client: ClientInfo,
): PasswordGrantRequest {
  // Before look-up and hashing, so that the answer is the same for every user.
  const checked = checkPassword(fields.password);
  if (checked.outcome === 'refused') {
    throw malformedFields([{ field: 'password', message: checked.message }]);
  }
  return {
    username: fields.username,
    password: fields.password,
    accountId: fields.account_id ?? null,
    scopes: requestedScopes(fields) ?? ['user'],
    expirationSeconds: fields.expiration_seconds,
    version,
    client,
  };
}

function refreshRequest(
  fields: v.InferOutput<typeof refreshGrantFields>,
  client: ClientInfo,
): RefreshGrantRequest {
  return {
    refreshToken: fields.refresh_token,
    accountId: fields.account_id ?? null,
    scopes: requestedScopes(fields),
    expirationSeconds: fields.expiration_seconds,
    client,
  };
}
