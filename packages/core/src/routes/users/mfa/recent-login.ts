import { AuthError } from '../../../errors.ts';
import type { AccessTokenInfo } from '../../../tokens/access-token-info.ts';

/** How long ago the password may have been right, seconds. */
const MAX_AGE_SECONDS = 300;

const TOO_OLD = 'This request needs a login of the last five minutes.';

/**
 * As for a token without `auth`, since the remedy is the same: log in for `auth` anew. RFC 9470's 401 would have
 * stock clients refresh and try again, and a refresh drops `auth`. Its `max_age` is told all the same.
 */
const tooOld: AuthError = new AuthError('insufficient_scope', TOO_OLD, {
  challenge: `Bearer error="insufficient_scope", error_description="${TOO_OLD}", scope="auth", max_age="${MAX_AGE_SECONDS}"`,
});

/**
 * Security: whoever finds a device unlocked, or a token in a log, must not be able to lock the owner out.
 *
 * @throws {AuthError} `insufficient_scope` where the login is older than five minutes
 */
export function assertRecentLogin(
  { authTimeMs }: Pick<AccessTokenInfo, 'authTimeMs'>,
  nowMs: number,
): void {
  if (nowMs - authTimeMs > 1000 * MAX_AGE_SECONDS) throw tooOld;
}
