import { badToken } from '../../../bearer/bearer-refusals.ts';
import { notFound } from '../../../errors.ts';
import type { LoginStanding } from '../../../grants/login-standing.ts';
import type { FactorShown } from '../../../mfa/factor-shown.ts';
import { isRecentLogin } from '../../../mfa/recent-login.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { AccessTokenInfo } from '../../../tokens/access-token-info.ts';
import type { User } from '../../../users.ts';
import { factorNotShown, loginTooOld } from '../login-refusals.ts';

/**
 * The user who asks to change a factor, as the directory knows them now: by a recent login, under a password that is
 * still the user's; where there is a second factor, by one that has shown it.
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
  readonly loginStanding: LoginStanding;
  readonly factorShown: FactorShown;
  readonly clock: Clock;
}

export function createEnrollingUsers(services: EnrollingUserServices): EnrollingUsers {
  const { loginStanding, factorShown, clock } = services;

  async function standing(auth: AccessTokenInfo): Promise<User> {
    if (!isRecentLogin(auth, clock.nowMs())) throw loginTooOld;
    const result = await loginStanding(auth);
    if (result.outcome !== 'good') throw badToken;
    return result.user;
  }

  return {
    async enrolling(auth) {
      const user = await standing(auth);
      if ((await factorShown(user, auth)) === 'not_shown') throw factorNotShown;
      return user;
    },
    async owning(auth) {
      const user = await standing(auth);
      switch (await factorShown(user, auth)) {
        case 'shown':
          return user;
        case 'not_shown':
          throw factorNotShown;
        case 'no_factor':
          throw notFound();
      }
    },
  };
}
