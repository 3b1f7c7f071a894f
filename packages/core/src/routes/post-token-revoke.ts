import { clientOfRequest } from '../client-info/client-info.ts';
import { clearRequestedCookies, type SessionCookies } from '../cookies/session-cookies.ts';
import { jsonResponse } from '../http/json-response.ts';
import type { RevokeByToken } from '../introspection-and-revocation/revoke-by-token.ts';
import { defineRoute } from './define-route.ts';
import type { Route } from './route.ts';
import { tokenBody, withTokenFromCookie } from './token-body.ts';
import { revokedAnswer, revokeFields } from './token-schemas.ts';

/**
 * `POST /token/revoke` (RFC 7009): ends the session of a refresh or access token, or revokes a personal access token.
 * Possession of the token is the permission, so that anyone who finds a token, such as a scanner, can end it. An
 * invalid or expired token is answered like a revoked token (2.2); a storage fault is not (2.2.1), because the client
 * would believe that the session ended.
 *
 * The response to a client that ends its own session removes its cookies. (The response to a rejected refresh does not:
 * it may arrive after a new login in the same browser, and would remove the new cookies.)
 */
export function postTokenRevoke(revokeByToken: RevokeByToken, cookies?: SessionCookies): Route {
  return defineRoute({
    method: 'POST',
    path: '/token/revoke',
    operationId: 'revokeToken',
    summary: 'End the session of a token, or a personal access token',
    body: withTokenFromCookie('token', tokenBody(revokeFields), cookies),
    answers: {
      200: { description: 'The token is revoked, or was not valid before.', schema: revokedAnswer },
    },

    async handle({ body }, request) {
      const requestedCookies = cookies?.requestedBy(request);
      const isOwn =
        requestedCookies !== undefined && requestedCookies.tokenOf(request) === body.token;
      const tokens = isOwn ? requestedCookies.tokensOf(request) : [body.token];
      await revokeByToken(tokens, clientOfRequest(request));
      return clearRequestedCookies(jsonResponse(200, {}), isOwn ? requestedCookies : undefined);
    },
  });
}
