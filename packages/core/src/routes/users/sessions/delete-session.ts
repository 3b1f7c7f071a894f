import { clientOfRequest } from '../../../client-info/client-info.ts';
import { clearRequestedCookies, type SessionCookies } from '../../../cookies/session-cookies.ts';
import { notFound } from '../../../errors.ts';
import { emptyResponse } from '../../../http/json-response.ts';
import type { Sessions } from '../../../sessions/session-control.ts';
import { defineRoute } from '../../define-route.ts';
import type { Route } from '../../route.ts';

/**
 * `DELETE /users/self/sessions/{id}`: the session is looked up among the user's own, so that nobody can end a session
 * of another user.
 */
export function deleteSession(sessions: Pick<Sessions, 'revoke'>, cookies?: SessionCookies): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/users/self/sessions/{id}',
    operationId: 'endSession',
    summary: 'End one login of the user',
    auth: { scope: 'user', credential: 'access_token' },
    answers: { 204: { description: 'The login has ended.' } },

    async handle({ auth: { userId, sessionId }, params }, request) {
      const ended = await sessions.revoke(userId, params.id, clientOfRequest(request));
      if (!ended) throw notFound();
      const requestedCookies = params.id === sessionId ? cookies?.requestedBy(request) : undefined;
      return clearRequestedCookies(emptyResponse(), requestedCookies);
    },
  });
}
