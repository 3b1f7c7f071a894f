import type { MfaStore } from '../storage/mfa-store.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { AnyUser } from '../users/users.ts';
import { isEnrolmentOf } from './enrolment-id.ts';

/** The claims that say how a login was authenticated. */
export type LoginEvidence = Pick<AccessTokenInfo, 'sessionId' | 'amr'>;

/** Whether a login has shown the second factor of its user. */
export type SecondFactorCheck =
  | 'satisfied'
  /** It has not: another login has to. */
  | 'required'
  /** There is none that it could have shown. */
  | 'no_factor';

/**
 * Checks whether a login has shown the factor that its user has now, wherever that is kept: by a code at the login, or
 * by enrolling it, since anyone who was given the secret has the factor.
 *
 * Security: otherwise someone who knows only the password could log in, wait for the owner to enrol, and then have what
 * a password alone no longer gives.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type CheckSecondFactor = (user: AnyUser, login: LoginEvidence) => Promise<SecondFactorCheck>;

/** @param enrolled - Absent: the storage keeps none. */
export function createCheckSecondFactor(
  enrolled: Pick<MfaStore, 'find'> | undefined,
): CheckSecondFactor {
  return async ({ id, mfa }, { sessionId, amr }) => {
    if (wasBySecondFactor(amr)) return 'satisfied';
    // As at a login, the user store's factor takes precedence over one that was enrolled.
    if (mfa) return 'required';
    const factor = (await enrolled?.find(id)) ?? null;
    if (factor === null) return 'no_factor';
    return isEnrolmentOf(sessionId, factor.enrolmentId) ? 'satisfied' : 'required';
  };
}

/** `otp` is a code of the app; `mfa` a recovery code, or several factors that the host has seen by itself. */
export function wasBySecondFactor(amr: readonly string[]): boolean {
  return amr.includes('otp') || amr.includes('mfa');
}
