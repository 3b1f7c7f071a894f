import type { CreateSessionOutcome, NewLogin } from '../session-store.ts';
import { beginSession } from './begin-session.ts';
import { type Decision, unchanged } from './decision.ts';
import { isStaleLogin } from './is-stale-login.ts';
import type { SessionState } from './session-state.ts';

/**
 * Decides `create` of sessions: whether the login is stale, whether its session already exists, which sessions the cap
 * ends, and how the new one begins. For authors of storages.
 *
 * Atomicity: call it within the transaction that stores the change; see {@link Decision}. The change is the sessions
 * that the cap ends, then the new one.
 *
 * @param stored - the user's sessions, ended ones included, in the order of creation, and the time of the last
 *   `revokeAll` or `revokeOthers`, if there was one
 * @param login - its `loginAgeMs` includes the time that the call has waited: the login grows older while it
 *   waits
 */
export function decideSessionCreation(
  stored: {
    readonly sessions: readonly SessionState[];
    readonly revokedAllAtMs: number | undefined;
  },
  login: NewLogin,
  limits: { readonly maxPerUser: number },
  nowMs: number,
): Decision<CreateSessionOutcome, readonly SessionState[]> {
  if (isStaleLogin(login, stored.revokedAllAtMs, nowMs))
    return unchanged({ outcome: 'stale_login' });
  const { record, change } = beginSession(stored.sessions, login, limits.maxPerUser, nowMs);
  return { outcome: { outcome: 'created', session: record }, change };
}
