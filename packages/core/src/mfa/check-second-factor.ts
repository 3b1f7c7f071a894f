import type { MfaStore } from '../storage/mfa-store.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { AnyUser } from '../users/users.ts';
import { isEnrolmentOf } from './enrolment-id.ts';

/** The claims that say how a login was authenticated. */
export type LoginEvidence = Pick<AccessTokenInfo, 'sessionId' | 'amr'>;

/** Whether a login has proved the second factor of its user. */
export type SecondFactorCheck =
  | 'satisfied'
  /** The login has not proved the factor: the user must log in again, with the factor. */
  | 'required'
  /** The user has no factor. */
  | 'no_factor';

/**
 * Checks whether a login has proved the factor that its user has now, in the user store or in the storage. A login
 * proves the factor by a code. The session that enrolled the factor needs no code, because it got the secret.
 *
 * Security: without this check, somebody who knows only the password could log in, wait until the owner enrols a
 * factor, and then do what a login by password no longer permits.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type CheckSecondFactor = (user: AnyUser, login: LoginEvidence) => Promise<SecondFactorCheck>;

/** @param enrolled - the factors in the storage; absent: the storage keeps none */
export function createCheckSecondFactor(
  enrolled: Pick<MfaStore, 'find'> | undefined,
): CheckSecondFactor {
  return async ({ id, mfa }, { sessionId, amr }) => {
    if (wasBySecondFactor(amr)) return 'satisfied';
    // As at a login, the factor of the user store takes precedence over an enrolled factor.
    if (mfa) return 'required';
    const factor = (await enrolled?.find(id)) ?? null;
    if (factor === null) return 'no_factor';
    return isEnrolmentOf(sessionId, factor.enrolmentId) ? 'satisfied' : 'required';
  };
}

/** `otp`: a code of the authenticator app. `mfa`: a recovery code, or several factors that the host has checked. */
export function wasBySecondFactor(amr: readonly string[]): boolean {
  return amr.includes('otp') || amr.includes('mfa');
}
