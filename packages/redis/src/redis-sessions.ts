import type { CallDeadline, SessionStore } from '@latchhook/core/storage';
import type { Keyspace } from './keyspace.ts';
import type { CallScript } from './script-caller.ts';
import { createSession } from './scripts/sessions/create-session.ts';
import { isSessionLive } from './scripts/sessions/is-session-live.ts';
import { listSessions } from './scripts/sessions/list-sessions.ts';
import { revokeAllSessions } from './scripts/sessions/revoke-all-sessions.ts';
import { revokeOtherSessions } from './scripts/sessions/revoke-other-sessions.ts';
import { revokeSession } from './scripts/sessions/revoke-session.ts';
import { rotateSession } from './scripts/sessions/rotate-session.ts';

/** Sessions in Redis: each method is one script, which `create` and `list` may run several times. */
export function redisSessions(
  call: CallScript,
  keyspace: Keyspace,
  newDeadline: () => CallDeadline,
): SessionStore {
  return {
    create: createSession(call, keyspace, newDeadline),
    rotate: rotateSession(call, keyspace),
    isLive: isSessionLive(call, keyspace),
    revoke: revokeSession(call, keyspace),
    revokeAll: revokeAllSessions(call, keyspace),
    revokeOthers: revokeOtherSessions(call, keyspace),
    list: listSessions(call, keyspace, newDeadline),
  };
}
