import { jsonResponse } from '../../../http/json-response.ts';
import { listPage, pageAnswer } from '../../../schema/list-page.ts';
import type { ListSessions } from '../../../sessions/list-sessions.ts';
import { defineRoute } from '../../define-route.ts';
import type { Route } from '../../route.ts';
import { sessionBody } from './session-body.ts';
import { type SessionAnswer, sessionPageQuery } from './session-schemas.ts';

/** `GET /users/self/sessions`: live sessions. */
export function getSessions(
  listSessions: ListSessions,
  idleMs: number,
  sessionAnswer: SessionAnswer,
): Route {
  return defineRoute({
    method: 'GET',
    path: '/users/self/sessions',
    operationId: 'listSessions',
    summary: 'The logins of the user, newest first',
    auth: { scope: 'user', credential: 'access_token' },
    query: sessionPageQuery,
    answers: { 200: { description: 'A page of the list.', schema: pageAnswer(sessionAnswer) } },

    async handle({ auth: { userId, sessionId: currentId }, query }) {
      const { items, nextCursor } = await listPage(query, (page) => listSessions(userId, page));
      const data = items.map((session) => sessionBody(session, { currentId, idleMs }));
      return jsonResponse(200, { data, next_cursor: nextCursor });
    },
  });
}
