import type { MfaStore } from '../storage/mfa-store.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { User } from '../users/users.ts';
import { isEnrolmentOf } from './enrolment-id.ts';

/** The claims that show how a login was authenticated. */
export type ShowingLogin = Pick<AccessTokenInfo, 'sessionId' | 'amr'>;

/** Whether a login has shown the second factor of its user. `no_factor`: there is none that it could have shown. */
export type FactorShowing = 'shown' | 'not_shown' | 'no_factor';

/**
 * Whether a login has shown the factor that its user has now, wherever that is kept: by a code at the login, or by
 * enrolling it, since whoever was given the secret has the factor.
 *
 * Security: otherwise someone who knows only the password could log in, wait for the owner to enrol, and then have what
 * a password alone no longer gives.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type FactorShown = (user: User, login: ShowingLogin) => Promise<FactorShowing>;

/** @param enrolled - Absent: nobody enrols here, and the storage is never asked. */
export function createFactorShown(enrolled: Pick<MfaStore, 'find'> | undefined): FactorShown {
  return async ({ id, mfa }, { sessionId, amr }) => {
    if (wasBySecondFactor(amr)) return 'shown';
    // As at a login, the directory's factor takes precedence over one that was enrolled.
    if (mfa) return 'not_shown';
    const factor = (await enrolled?.find(id)) ?? null;
    if (factor === null) return 'no_factor';
    return isEnrolmentOf(sessionId, factor.enrolmentId) ? 'shown' : 'not_shown';
  };
}

/** `otp` is a code of the app, `mfa` a recovery code. */
function wasBySecondFactor(amr: readonly string[]): boolean {
  return amr.includes('otp') || amr.includes('mfa');
}
