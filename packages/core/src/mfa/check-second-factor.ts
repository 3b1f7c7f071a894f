import type { MfaStore } from '../storage/mfa-store.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { AnyUser } from '../users/users.ts';
import { isEnrolmentOf } from './enrolment-id.ts';

/** The claims that say how a login was authenticated. */
export type LoginEvidence = Pick<AccessTokenInfo, 'sessionId' | 'amr'>;

/** Whether a login has proved the second factor of its user. */
export type SecondFactorCheck =
  | 'satisfied'
  /** It has not: the user must log in again, by the factor. */
  | 'required'
  /** The user has none. */
  | 'no_factor';

/**
 * Checks whether a login has proved the factor that its user has now, in the user store or in our storage: by a code at
 * the login, or by enrolling it, since anyone who was given the secret has the factor.
 *
 * Security: otherwise someone who knows only the password could log in, wait for the owner to enrol, and then do what a
 * password alone no longer permits.
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

/** `otp` is a code of the app; `mfa` a recovery code, or several factors that the host has checked by itself. */
export function wasBySecondFactor(amr: readonly string[]): boolean {
  return amr.includes('otp') || amr.includes('mfa');
}
