import type { CallDeadline, SessionStore } from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { createSession } from './functions/sessions/create-session.ts';
import { isSessionLive } from './functions/sessions/is-session-live.ts';
import { listSessions } from './functions/sessions/list-sessions.ts';
import { revokeSession } from './functions/sessions/revoke-session.ts';
import { revokeAllSessions, revokeOtherSessions } from './functions/sessions/revoke-sessions.ts';
import { rotateSession } from './functions/sessions/rotate-session.ts';

/** Sessions in PostgreSQL: each method is one call of a function, which `create` may make several times. */
export function postgresSessions(
  call: CallFunction,
  newDeadline: () => CallDeadline,
): SessionStore {
  return {
    create: (session, limits) => createSession(call, session, limits, newDeadline()),
    rotate: (request) => rotateSession(call, request),
    isLive: (ref) => isSessionLive(call, ref),
    revoke: (ref) => revokeSession(call, ref),
    revokeAll: (userId) => revokeAllSessions(call, userId),
    revokeOthers: (kept) => revokeOtherSessions(call, kept),
    list: (userId) => listSessions(call, userId),
  };
}
