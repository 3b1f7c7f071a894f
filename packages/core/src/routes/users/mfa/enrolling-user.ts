import { badToken } from '../../../bearer/bearer-refusals.ts';
import { standingOf } from '../../../grants/standing.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { AccessTokenInfo } from '../../../tokens/access-token-info.ts';
import type { User, UserDirectory } from '../../../users.ts';
import { assertRecentLogin } from './recent-login.ts';

/**
 * The user who asks to change a factor, as the directory knows them now.
 *
 * Security: by a recent login, under a password that is still the user's.
 *
 * @throws {AuthError} `insufficient_scope` where the login is not recent, `invalid_token` where the user may not
 * use it any more, `temporarily_unavailable`
 */
export type EnrollingUser = (auth: AccessTokenInfo) => Promise<User>;

export function createEnrollingUser(
  users: Pick<UserDirectory, 'findById'>,
  clock: Clock,
): EnrollingUser {
  return async (auth) => {
    assertRecentLogin(auth, clock.nowMs());
    const standing = standingOf(await users.findById(auth.userId), auth);
    if (standing.outcome !== 'good') throw badToken;
    return standing.user;
  };
}
