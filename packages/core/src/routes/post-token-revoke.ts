import { jsonResponse } from '../http/json-response.ts';
import { parseBody, readBody } from '../http/read-body.ts';
import type { RevokeByToken } from '../sessions/revoke-by-token.ts';
import { requestOrigin } from './request-origin.ts';
import type { Route } from './route.ts';
import { revokeFields } from './token-schemas.ts';

const FORMATS = ['json', 'form'] as const;

/**
 * `POST /token/revoke` (RFC 7009): ends the session of a refresh or access token. Holding the token is the
 * permission. A token that means nothing (any more) is answered like one that was revoked (2.2); a storage
 * fault is not (2.2.1), or the client would believe the session ended.
 */
export function postTokenRevoke(revokeByToken: RevokeByToken): Route {
  return {
    method: 'POST',
    path: '/token/revoke',
    operationId: 'revokeToken',
    summary: 'End the session of a token',
    body: { schemas: [revokeFields], formats: FORMATS },
    answers: { 200: { description: 'The token is of no use, now at the latest.' } },
    errors: [],

    async handle(request) {
      const { token } = parseBody(revokeFields, readBody(request, FORMATS));
      await revokeByToken(token, requestOrigin(request));
      return jsonResponse(200, {});
    },
  };
}
