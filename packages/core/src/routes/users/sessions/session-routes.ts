import { createListSessions } from '../../../sessions/list-sessions.ts';
import type { Sessions } from '../../../sessions/session-control.ts';
import type { Route } from '../../route.ts';
import { deleteSession } from './delete-session.ts';
import { deleteSessions } from './delete-sessions.ts';
import { getSessions } from './get-sessions.ts';

/** @param idleMs - How long a session lives without a refresh, ms. */
export function sessionRoutes(sessions: Sessions, idleMs: number): readonly Route[] {
  return [
    getSessions(createListSessions(sessions), idleMs),
    deleteSession(sessions),
    deleteSessions(sessions),
  ];
}
