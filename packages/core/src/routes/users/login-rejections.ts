import { AuthError } from '../../errors.ts';
import { RECENT_SECONDS } from '../../mfa/recent-login.ts';

/*
 * The errors for a login that is not good enough. They have the code `insufficient_scope`, as for a token without
 * `auth`, because the remedy is the same: a new login with scope `auth`. On the 401 of RFC 9470, standard clients would
 * refresh and try again, and a refresh drops `auth`.
 */

const TOO_OLD = 'This request needs a login of the last five minutes.';

/** Has the `max_age` of RFC 9470. */
export const loginTooOld: AuthError = new AuthError('insufficient_scope', TOO_OLD, {
  challenge: `Bearer error="insufficient_scope", error_description="${TOO_OLD}", scope="auth", max_age="${RECENT_SECONDS}"`,
});

const FACTOR_REQUIRED = 'This request needs a login by the second factor.';

export const factorRequired: AuthError = new AuthError('insufficient_scope', FACTOR_REQUIRED, {
  challenge: `Bearer error="insufficient_scope", error_description="${FACTOR_REQUIRED}", scope="auth"`,
});
