import { badToken } from '../../../bearer/bearer-rejections.ts';
import { notFound } from '../../../errors.ts';
import type { CheckSecondFactor } from '../../../mfa/check-second-factor.ts';
import { isRecentLogin } from '../../../mfa/recent-login.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { AccessTokenInfo } from '../../../tokens/access-token-info.ts';
import type { CheckUserStatus } from '../../../users/check-user-status.ts';
import type { AnyUser } from '../../../users/users.ts';
import { factorRequired, loginTooOld } from '../login-rejections.ts';

/**
 * Checks who may change factors, for each kind of change, and returns the user as the user store has them now. The
 * login must be recent, and the password unchanged since then; if the user has a second factor, the login must have
 * proved it.
 *
 * @throws {AuthError} `insufficient_scope` if the login is not recent or has not proved the factor, `invalid_token` if
 * the user may no longer use the login, `temporarily_unavailable`
 */
export interface FactorChangeGuards {
  /** For enrolling a factor, whether or not the user has one. */
  userForEnrolment(auth: AccessTokenInfo): Promise<AnyUser>;
  /**
   * For changing or removing the enrolled factor.
   *
   * @throws {AuthError} `not_found` if no factor is enrolled: it is checked before the change, because a login without
   * a factor must not change one that the owner is enrolling at this moment. `not_found` also if the user store has a
   * factor: it takes precedence, so a change of the enrolled factor would have no effect.
   */
  userForChange(auth: AccessTokenInfo): Promise<AnyUser>;
}

export interface FactorChangeGuardsDeps {
  readonly checkUserStatus: CheckUserStatus;
  readonly checkSecondFactor: CheckSecondFactor;
  readonly clock: Clock;
}

export function createFactorChangeGuards(deps: FactorChangeGuardsDeps): FactorChangeGuards {
  const { checkUserStatus, checkSecondFactor, clock } = deps;

  async function currentUser(auth: AccessTokenInfo): Promise<AnyUser> {
    if (!isRecentLogin(auth, clock.nowMs())) throw loginTooOld;
    const result = await checkUserStatus(auth);
    if (result.outcome !== 'good') throw badToken;
    return result.user;
  }

  return {
    async userForEnrolment(auth) {
      const user = await currentUser(auth);
      if ((await checkSecondFactor(user, auth)) === 'required') throw factorRequired;
      return user;
    },
    async userForChange(auth) {
      const user = await currentUser(auth);
      switch (await checkSecondFactor(user, auth)) {
        case 'satisfied':
          if (user.mfa) throw notFound();
          return user;
        case 'required':
          throw factorRequired;
        case 'no_factor':
          throw notFound();
      }
    },
  };
}
