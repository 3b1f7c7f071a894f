import type * as v from 'valibot';
import { requestedCookies, type SessionCookies } from '../cookies/session-cookies.ts';
import { malformedFields } from '../errors.ts';
import type { PasswordGrant, PasswordGrantRequest } from '../grants/password-grant.ts';
import type { RefreshGrant, RefreshGrantRequest } from '../grants/refresh-grant.ts';
import { checkPassword } from '../passwords/password-text.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { defineRoute } from './define-route.ts';
import { requestClient } from './request-client.ts';
import { requestedScopes } from './requested-scopes.ts';
import type { Route } from './route.ts';
import { grantBody } from './token-body.ts';
import { tokenFromCookie } from './token-from-cookie.ts';
import { loginResponse, tokenResponse } from './token-responses.ts';
import { challengeAnswer, type TokenSchemas, type Version, versionQuery } from './token-schemas.ts';

/**
 * `POST /token`: login by password, or refresh.
 *
 * @param cookies - absent: cookies are not used
 */
export function postToken(
  passwordGrant: PasswordGrant,
  refreshGrant: RefreshGrant,
  scopeTable: ScopeTable,
  { grants, tokenAnswer, tokenOrCookieAnswer }: TokenSchemas,
  cookies?: SessionCookies,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/token',
    operationId: 'issueToken',
    summary: 'Log in by password, or refresh',
    query: versionQuery('v2'),
    body: tokenFromCookie('refresh_token', grantBody(grants), cookies),
    answers: {
      200: {
        description: 'The tokens, in the representation of `version`.',
        schema: cookies === undefined ? tokenAnswer : tokenOrCookieAnswer,
      },
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
      const cookieMode = requestedCookies(cookies, request);
      const clientContext = {
        client: requestClient(request),
        maxTokenChars: cookieMode?.maxTokenChars,
      };
      if (body.grant_type === 'refresh_token') {
        return tokenResponse(
          await refreshGrant(refreshRequest(body, clientContext)),
          version,
          cookieMode,
        );
      }
      const login = await passwordGrant(passwordRequest(body, version, clientContext));
      return loginResponse(login, version, cookieMode);
    },
  });

  function passwordRequest(
    fields: v.InferOutput<TokenSchemas['grants']['password']>,
    version: Version,
    clientContext: ClientContext,
  ): PasswordGrantRequest {
    // Before look-up and hashing, so that the response is the same for every user.
    const checked = checkPassword(fields.password);
    if (checked.outcome === 'rejected') {
      throw malformedFields([{ field: 'password', message: checked.message }]);
    }
    return {
      username: fields.username,
      password: fields.password,
      accountId: fields.account_id ?? null,
      scopes: requestedScopes(fields, scopeTable) ?? ['user'],
      expirationSeconds: fields.expiration_seconds,
      version,
      ...clientContext,
    };
  }

  function refreshRequest(
    fields: v.InferOutput<TokenSchemas['grants']['refresh_token']>,
    clientContext: ClientContext,
  ): RefreshGrantRequest {
    return {
      refreshToken: fields.refresh_token,
      accountId: fields.account_id ?? null,
      scopes: requestedScopes(fields, scopeTable),
      expirationSeconds: fields.expiration_seconds,
      ...clientContext,
    };
  }
}

/** The client that sends the request, and the longest token that it can keep. */
type ClientContext = Pick<RefreshGrantRequest, 'client' | 'maxTokenChars'>;
