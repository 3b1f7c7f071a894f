import type { CreateSessionOutcome, NewLogin } from '../session-store.ts';
import { beginSession } from './begin-session.ts';
import { type Decision, unchanged } from './decision.ts';
import { isStaleLogin } from './is-stale-login.ts';
import type { SessionState } from './session-state.ts';

/**
 * Decides `create` of sessions: whether the login is stale, whether its session is known, which sessions the cap ends,
 * and how the new one begins. For authors of storages.
 *
 * Atomicity: call it within the transaction that stores the change; see {@link Decision}. The change is the sessions
 * that the cap ends, then the new one.
 *
 * @param found - the user's sessions, ended ones included, in the order of creation, and the time of the last
 *   `revokeAll` or `revokeOthers`, if there was one.
 * @param login - add the time that the call has waited to its `authenticationMs`: a login grows older meanwhile.
 */
export function decideSessionCreation(
  found: {
    readonly sessions: readonly SessionState[];
    readonly revokedAllAtMs: number | undefined;
  },
  login: NewLogin,
  limits: { readonly maxPerUser: number },
  nowMs: number,
): Decision<CreateSessionOutcome, readonly SessionState[]> {
  if (isStaleLogin(login, found.revokedAllAtMs, nowMs))
    return unchanged({ outcome: 'stale_login' });
  const { record, change } = beginSession(found.sessions, login, limits.maxPerUser, nowMs);
  return { answer: { outcome: 'created', session: record }, change };
}
