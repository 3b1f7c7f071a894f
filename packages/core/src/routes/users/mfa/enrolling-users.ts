import { badToken } from '../../../bearer/bearer-refusals.ts';
import { AuthError, notFound } from '../../../errors.ts';
import { standingOf } from '../../../grants/standing.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { MfaStore } from '../../../storage/mfa-store.ts';
import type { AccessTokenInfo } from '../../../tokens/access-token-info.ts';
import type { User, UserDirectory } from '../../../users.ts';
import { assertRecentLogin } from './recent-login.ts';

/**
 * The user who asks to change a factor, as the directory knows them now.
 *
 * Security: by a recent login, under a password that is still the user's, and by the second factor where there
 * is one: or whoever knows the password logs in, waits for the owner to enrol, and undoes it.
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
   * @throws {AuthError} `not_found` where nothing is, to a login by the password alone. That it is not left to
   * the change to find nothing closes a race: the owner may be enrolling at this very moment.
   */
  readonly owning: EnrollingUser;
}

export interface EnrollingUserServices {
  readonly users: Pick<UserDirectory, 'findById'>;
  readonly enrolled: Pick<MfaStore, 'find'>;
  readonly clock: Clock;
}

const BY_PASSWORD_ALONE = 'This request needs a login by the second factor.';

const byPasswordAlone: AuthError = new AuthError('insufficient_scope', BY_PASSWORD_ALONE, {
  challenge: `Bearer error="insufficient_scope", error_description="${BY_PASSWORD_ALONE}", scope="auth"`,
});

export function createEnrollingUsers(services: EnrollingUserServices): EnrollingUsers {
  const { users, enrolled, clock } = services;

  async function standing(auth: AccessTokenInfo): Promise<User> {
    assertRecentLogin(auth, clock.nowMs());
    const result = standingOf(await users.findById(auth.userId), auth);
    if (result.outcome !== 'good') throw badToken;
    return result.user;
  }

  async function assertNoneEnrolled(userId: string): Promise<void> {
    if ((await enrolled.find(userId)) !== null) throw byPasswordAlone;
  }

  return {
    async enrolling(auth) {
      const user = await standing(auth);
      if (!wasBySecondFactor(auth)) await assertNoneEnrolled(user.id);
      return user;
    },
    async owning(auth) {
      const user = await standing(auth);
      if (wasBySecondFactor(auth)) return user;
      await assertNoneEnrolled(user.id);
      throw notFound();
    },
  };
}

/** `otp` is a code of the app, `mfa` a recovery code. */
function wasBySecondFactor({ amr }: Pick<AccessTokenInfo, 'amr'>): boolean {
  return amr.includes('otp') || amr.includes('mfa');
}
