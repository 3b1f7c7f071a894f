import type { CreateSessionOutcome, NewLogin } from '../session-store.ts';
import { beginSession } from './begin-session.ts';
import { type Decision, unchanged } from './decision.ts';
import { isSuperseded } from './is-superseded.ts';
import type { SessionState } from './session-state.ts';

/**
 * `create` of sessions: whether the login is superseded, whether its session is known, whom the cap ends, and how a
 * session begins. For who writes a storage.
 *
 * Atomicity: to be called within the transaction that stores the change; see {@link Decision}. The change is those
 * that the cap ends, then the new one.
 *
 * @param found - the user's sessions, those that ended too, in the order of creation, and the time of the last
 *   `revokeAll` or `revokeOthers`, if there was one.
 * @param login - its `authenticationMs` with the time added that the call has waited: a login grows older meanwhile.
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
  if (isSuperseded(login, found.revokedAllAtMs, nowMs)) return unchanged({ outcome: 'superseded' });
  const { record, change } = beginSession(found.sessions, login, limits.maxPerUser, nowMs);
  return { answer: { outcome: 'created', session: record }, change };
}
