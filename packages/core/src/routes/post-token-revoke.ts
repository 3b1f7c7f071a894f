import { jsonResponse } from '../http/json-response.ts';
import type { RevokeByToken } from '../presented-tokens/revoke-by-token.ts';
import { defineRoute } from './define-route.ts';
import { requestClient } from './request-client.ts';
import type { Route } from './route.ts';
import { tokenBody } from './token-body.ts';
import { revokedAnswer, revokeFields } from './token-schemas.ts';

/**
 * `POST /token/revoke` (RFC 7009): ends the session of a refresh or access token, and a personal access token.
 * Holding the token is the permission, so whoever finds one can end it: a scanner, a stranger. A token that is invalid,
 * or no longer valid, is answered as one that was revoked (2.2); a storage fault is not (2.2.1), or the client would
 * believe that the session ended.
 */
export function postTokenRevoke(revokeByToken: RevokeByToken): Route {
  return defineRoute({
    method: 'POST',
    path: '/token/revoke',
    operationId: 'revokeToken',
    summary: 'End the session of a token, or a personal access token',
    body: tokenBody(revokeFields),
    answers: {
      200: { description: 'The token is of no use, now at the latest.', schema: revokedAnswer },
    },
    errors: [],

    async handle({ body }, request) {
      await revokeByToken(body.token, requestClient(request));
      return jsonResponse(200, {});
    },
  });
}
