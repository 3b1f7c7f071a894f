import type { SessionStore } from '@latchhook/core/storage';
import { createSession } from './scripts/sessions/create-session.ts';
import { isSessionLive } from './scripts/sessions/is-session-live.ts';
import { listSessions } from './scripts/sessions/list-sessions.ts';
import { revokeAllSessions } from './scripts/sessions/revoke-all-sessions.ts';
import { revokeOtherSessions } from './scripts/sessions/revoke-other-sessions.ts';
import { revokeSession } from './scripts/sessions/revoke-session.ts';
import { rotateSession } from './scripts/sessions/rotate-session.ts';
import type { StoreDeps } from './store-methods.ts';

/** Sessions in Redis: each method is one script, which `create` and `list` may run several times. */
export function redisSessions(deps: StoreDeps): SessionStore {
  return {
    create: createSession(deps),
    rotate: rotateSession(deps),
    isLive: isSessionLive(deps),
    revoke: revokeSession(deps),
    revokeAll: revokeAllSessions(deps),
    revokeOthers: revokeOtherSessions(deps),
    list: listSessions(deps),
  };
}
