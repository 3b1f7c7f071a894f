import { wasBySecondFactor } from '../mfa/check-second-factor.ts';
import type { EnrolledFactors } from '../mfa/enrolled-factors.ts';
import type { FactorOf, UserFactor } from '../mfa/user-factor.ts';
import type { GuardedStorage } from '../storage/guarded-storage.ts';
import type { CreateSessionOutcome, NewLogin, SessionStore } from '../storage/session-store.ts';
import type { AnyUser } from '../users/users.ts';

/** The outcome of {@link StartSession}. */
export type StartSessionOutcome =
  | CreateSessionOutcome
  /** The user has a second factor that the login has not proved. Nothing was stored. */
  | { readonly outcome: 'has_factor'; readonly factor: UserFactor };

/**
 * Starts the session of a login, unless it has yet to prove a second factor.
 *
 * @throws {AuthError} `temporarily_unavailable`, `server_error`
 */
export type StartSession = (
  user: AnyUser,
  session: NewLogin,
  limits: { readonly maxPerUser: number },
) => Promise<StartSessionOutcome>;

export interface StartSessionDeps {
  readonly sessions: Pick<SessionStore, 'create'>;
  readonly factorOf: FactorOf;
  /** `undefined`: the storage keeps no factors. */
  readonly enrolled?: Pick<EnrolledFactors, 'toUserFactor'> | undefined;
  /**
   * Creates the session in one call with the look-up of the factor. Absent, or returns `undefined`: the look-up is a
   * call of its own.
   */
  readonly loginTransition?: GuardedStorage['loginTransition'];
}

export function createStartSession({
  sessions,
  factorOf,
  enrolled,
  loginTransition,
}: StartSessionDeps): StartSession {
  return async (user, session, limits) => {
    if (wasBySecondFactor(session.amr)) return sessions.create(session, limits);
    // As in `factorOf`, the factor of the user store takes precedence over an enrolled factor.
    const transition = user.mfa ? undefined : loginTransition?.();
    if (transition && enrolled) {
      const result = await transition.createUnlessEnrolled(session, limits);
      if (result.outcome !== 'enrolled') return result;
      return { outcome: 'has_factor', factor: enrolled.toUserFactor(user.id, result.factor) };
    }
    const factor = await factorOf(user);
    return factor === null ? sessions.create(session, limits) : { outcome: 'has_factor', factor };
  };
}
