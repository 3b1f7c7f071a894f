import { badToken } from '../../../bearer/bearer-refusals.ts';
import { notFound } from '../../../errors.ts';
import type { CheckSecondFactor } from '../../../mfa/check-second-factor.ts';
import { isRecentLogin } from '../../../mfa/recent-login.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { AccessTokenInfo } from '../../../tokens/access-token-info.ts';
import type { LoginStanding } from '../../../users/login-standing.ts';
import type { User } from '../../../users/users.ts';
import { factorRequired, loginTooOld } from '../login-refusals.ts';

/**
 * Who may change factors, for each kind of change: finds the user as the directory knows them now. Their login has to
 * be recent and its password still the user's; where there is a second factor, the login must have shown it.
 *
 * @throws {AuthError} `insufficient_scope` where the login is not recent or has not shown the factor, `invalid_token`
 * where its user may not use it any more, `temporarily_unavailable`
 */
export interface FactorChangeGuards {
  /** For enrolling a factor, the first or another. */
  forEnrolment(auth: AccessTokenInfo): Promise<User>;
  /**
   * For changing or removing the enrolled factor.
   *
   * @throws {AuthError} `not_found` where none is enrolled, to a login that has shown none. Left to the change itself,
   * that would be a race: the owner may be enrolling at this very moment.
   */
  forChange(auth: AccessTokenInfo): Promise<User>;
}

export interface FactorChangeGuardsDeps {
  readonly loginStanding: LoginStanding;
  readonly checkSecondFactor: CheckSecondFactor;
  readonly clock: Clock;
}

export function createFactorChangeGuards(deps: FactorChangeGuardsDeps): FactorChangeGuards {
  const { loginStanding, checkSecondFactor, clock } = deps;

  async function standing(auth: AccessTokenInfo): Promise<User> {
    if (!isRecentLogin(auth, clock.nowMs())) throw loginTooOld;
    const result = await loginStanding(auth);
    if (result.outcome !== 'good') throw badToken;
    return result.user;
  }

  return {
    async forEnrolment(auth) {
      const user = await standing(auth);
      if ((await checkSecondFactor(user, auth)) === 'required') throw factorRequired;
      return user;
    },
    async forChange(auth) {
      const user = await standing(auth);
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
