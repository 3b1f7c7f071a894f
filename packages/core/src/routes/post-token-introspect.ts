import { jsonResponse } from '../http/json-response.ts';
import type { IntrospectToken } from '../introspection-and-revocation/introspect-token.ts';
import type { TokenIdentity } from '../tokens/issue-access-token.ts';
import { defineRoute } from './define-route.ts';
import { introspectionBody } from './introspection-body.ts';
import { type IntrospectionAnswer, introspectionFields } from './introspection-schemas.ts';
import type { Route } from './route.ts';
import { tokenBody } from './token-body.ts';

/**
 * `POST /token/introspect` (RFC 7662): for services that accept the app's tokens but do not verify them themselves.
 * These services authenticate by a bearer token with scope `internal` (2.1): otherwise anybody could try tokens.
 */
export function postTokenIntrospect(
  introspect: IntrospectToken,
  identity: TokenIdentity,
  introspectionAnswer: IntrospectionAnswer,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/token/introspect',
    operationId: 'introspectToken',
    summary: 'Check a token, and read its content',
    auth: { scope: 'internal' },
    body: tokenBody(introspectionFields),
    answers: {
      200: {
        description: 'The content of the token, or only that it is not active.',
        schema: introspectionAnswer,
      },
    },

    async handle({ body }) {
      return jsonResponse(200, introspectionBody(await introspect(body.token), identity));
    },
  });
}
