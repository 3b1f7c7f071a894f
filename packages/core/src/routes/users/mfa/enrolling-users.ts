import { badToken } from '../../../bearer/bearer-refusals.ts';
import { AuthError, notFound } from '../../../errors.ts';
import { standingOf } from '../../../grants/standing.ts';
import { isEnrolmentOf } from '../../../mfa/enrolment-id.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { MfaStore } from '../../../storage/mfa-store.ts';
import type { AccessTokenInfo } from '../../../tokens/access-token-info.ts';
import type { User, UserDirectory } from '../../../users.ts';
import { assertRecentLogin } from './recent-login.ts';

/**
 * The user who asks to change a factor, as the directory knows them now.
 *
 * Security: by a recent login, under a password that is still the user's. Where there is a second factor, by one
 * that has shown it, at the login or by enrolling it: or whoever knows the password logs in, waits for the owner to
 * enrol, and undoes it.
 *
 * @throws {AuthError} `insufficient_scope` where the login is not such a one, `invalid_token` where the user may
 * not use it any more, `temporarily_unavailable`
 */
export type EnrollingUser = (auth: AccessTokenInfo) => Promise<User>;

/** Who may change factors, by what they ask for. */
export interface EnrollingUsers {
  /** To enrol one, the first or another. */
  readonly enrolling: EnrollingUser;
  /**
   * To change what is enrolled.
   *
   * @throws {AuthError} `not_found` where nothing is, to a login that has shown no factor. That it is not left to
   * the change to find nothing closes a race: the owner may be enrolling at this very moment.
   */
  readonly owning: EnrollingUser;
}

export interface EnrollingUserServices {
  readonly users: Pick<UserDirectory, 'findById'>;
  readonly enrolled: Pick<MfaStore, 'find'>;
  readonly clock: Clock;
}

const FACTOR_NOT_SHOWN = 'This request needs a login by the second factor.';

const factorNotShown: AuthError = new AuthError('insufficient_scope', FACTOR_NOT_SHOWN, {
  challenge: `Bearer error="insufficient_scope", error_description="${FACTOR_NOT_SHOWN}", scope="auth"`,
});

export function createEnrollingUsers(services: EnrollingUserServices): EnrollingUsers {
  const { users, enrolled, clock } = services;

  async function standing(auth: AccessTokenInfo): Promise<User> {
    assertRecentLogin(auth, clock.nowMs());
    const result = standingOf(await users.findById(auth.userId), auth);
    if (result.outcome !== 'good') throw badToken;
    return result.user;
  }

  /** @returns whether there is a factor, as far as was looked. */
  async function assertFactorShown(auth: AccessTokenInfo): Promise<boolean> {
    if (wasBySecondFactor(auth)) return true;
    const factor = await enrolled.find(auth.userId);
    if (factor === null) return false;
    if (isEnrolmentOf(auth.sessionId, factor.enrolmentId)) return true;
    throw factorNotShown;
  }

  return {
    async enrolling(auth) {
      const user = await standing(auth);
      await assertFactorShown(auth);
      return user;
    },
    async owning(auth) {
      const user = await standing(auth);
      if (await assertFactorShown(auth)) return user;
      throw notFound();
    },
  };
}

/** `otp` is a code of the app, `mfa` a recovery code. */
function wasBySecondFactor({ amr }: Pick<AccessTokenInfo, 'amr'>): boolean {
  return amr.includes('otp') || amr.includes('mfa');
}
