import type { EnrolledFactor, MfaStore } from './mfa-store.ts';
import type { CreateSessionOutcome, NewLogin, SessionStore } from './session-store.ts';
import type { Storage } from './storage.ts';
import { originOf } from './store-origin.ts';

/** The outcome of {@link LoginTransition.createUnlessEnrolled}. */
export type CreateUnlessEnrolledOutcome =
  | CreateSessionOutcome
  /** The user has this factor. Nothing was stored. */
  | { readonly outcome: 'enrolled'; readonly factor: EnrolledFactor };

/**
 * The last step of a login by password, in a store that keeps both sessions and second factors: one call instead of
 * `mfa.find` and then `sessions.create`.
 */
export interface LoginTransition {
  /** The methods of the store whose calls it replaces. */
  readonly replaces: Pick<SessionStore, 'create'> & Pick<MfaStore, 'find'>;
  /**
   * Does the same as `sessions.create`, unless `mfa.find` would return a factor.
   *
   * Atomicity: one transition reads the factor and stores the session.
   *
   * Idempotency: as `create`. A call that is repeated returns its session even if the user has enrolled a factor since.
   */
  createUnlessEnrolled(
    session: NewLogin,
    limits: { readonly maxPerUser: number },
  ): Promise<CreateUnlessEnrolledOutcome>;
}

/**
 * The login transition of a storage; `undefined` if it has none, or if the host has replaced or wrapped a method whose
 * calls it replaces.
 *
 * Security: a method of the host may know more factors than the store, and a login must not pass without them.
 */
export function loginTransitionOf({ sessions, mfa }: Storage): LoginTransition | undefined {
  const transition = originOf(sessions)?.loginTransition;
  const { create, find } = transition?.replaces ?? {};
  return sessions.create === create && mfa?.find === find ? transition : undefined;
}
