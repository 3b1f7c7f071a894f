import { clientOfRequest } from '../../../client-info/client-info.ts';
import { clearRequestedCookies, type SessionCookies } from '../../../cookies/session-cookies.ts';
import { emptyResponse } from '../../../http/json-response.ts';
import type { Sessions } from '../../../sessions/session-control.ts';
import { defineRoute } from '../../define-route.ts';
import type { Route } from '../../route.ts';
import { endSessionsQuery } from './session-schemas.ts';

/** `DELETE /users/self/sessions`: ends all sessions, or all but the session of the request. */
export function deleteSessions(
  sessions: Pick<Sessions, 'revokeAll' | 'revokeOthers'>,
  cookies?: SessionCookies,
): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/users/self/sessions',
    operationId: 'endSessions',
    summary: 'End all logins of the user, or all others',
    auth: { scope: 'user', credential: 'access_token' },
    query: endSessionsQuery,
    answers: { 204: { description: 'The logins and all pending challenges have ended.' } },

    async handle({ auth: { userId, sessionId }, query }, request) {
      const client = clientOfRequest(request);
      if (query.except === 'current') {
        await sessions.revokeOthers(userId, sessionId, client);
        return emptyResponse();
      }
      await sessions.revokeAll(userId, client);
      return clearRequestedCookies(emptyResponse(), cookies?.requestedBy(request));
    },
  });
}
