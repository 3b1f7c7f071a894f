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
 * Who may change factors, for each kind of change: finds the user as the user store knows them now. Their login has to
 * be recent and its password still the user's; where there is a second factor, the login must have shown it.
 *
 * @throws {AuthError} `insufficient_scope` where the login is not recent or has not shown the factor, `invalid_token`
 * where its user may not use it any more, `temporarily_unavailable`
 */
export interface FactorChangeGuards {
  /** For enrolling a factor, the first or another. */
  forEnrolment(auth: AccessTokenInfo): Promise<AnyUser>;
  /**
   * For changing or removing the enrolled factor.
   *
   * @throws {AuthError} `not_found` where none is enrolled, to a login that has shown none. Left to the change itself,
   * that would be a race: the owner may be enrolling at this very moment.
   */
  forChange(auth: AccessTokenInfo): Promise<AnyUser>;
}

export interface FactorChangeGuardsDeps {
  readonly checkUserStatus: CheckUserStatus;
  readonly checkSecondFactor: CheckSecondFactor;
  readonly clock: Clock;
}

export function createFactorChangeGuards(deps: FactorChangeGuardsDeps): FactorChangeGuards {
  const { checkUserStatus, checkSecondFactor, clock } = deps;

  async function userStatus(auth: AccessTokenInfo): Promise<AnyUser> {
    if (!isRecentLogin(auth, clock.nowMs())) throw loginTooOld;
    const result = await checkUserStatus(auth);
    if (result.outcome !== 'good') throw badToken;
    return result.user;
  }

  return {
    async forEnrolment(auth) {
      const user = await userStatus(auth);
      if ((await checkSecondFactor(user, auth)) === 'required') throw factorRequired;
      return user;
    },
    async forChange(auth) {
      const user = await userStatus(auth);
      switch (await checkSecondFactor(user, auth)) {
        case 'satisfied':
          return user;
        case 'required':
          throw factorRequired;
        case 'no_factor':
          throw notFound();
      }
    },
  };
}
