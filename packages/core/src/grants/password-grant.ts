import type { PasswordVerifier } from '../passwords/password-verifier.ts';
import type { Rehasher } from '../passwords/rehash.ts';
import type { AdmittedLogin, LoginThrottle } from '../throttle/login-throttle.ts';
import type { AnyUser, AnyUserStore } from '../users/users.ts';
import type { LoginTerms } from './authenticated-login.ts';
import { createFinishLogin, type FinishedLogin, type FinishLoginDeps } from './finish-login.ts';
import { type LoginAttempt, loginFailures } from './login-failures.ts';
import { type LoginStart, startLogin } from './login-start.ts';

export interface PasswordGrantRequest extends LoginAttempt, LoginTerms {
  readonly password: string;
}

export type PasswordGrant = (request: PasswordGrantRequest) => Promise<FinishedLogin>;

export interface PasswordGrantDeps extends FinishLoginDeps {
  readonly users: Pick<AnyUserStore, 'findByUsername'>;
  readonly passwords: PasswordVerifier;
  readonly throttle: LoginThrottle;
  /** Called at every login whose stored hash does not have the current parameters. */
  readonly rehash: Rehasher;
}

/**
 * Logs a user in by password.
 *
 * Concurrency: if `revokeAll` runs during the login, the login creates neither a session nor a challenge, and is
 * rejected like a wrong password: a leak of this password may be the reason for the revocation.
 *
 * Security: account, scopes and second factor are checked only after the password, so that a wrong password reveals
 * nothing about them.
 */
export function createPasswordGrant(deps: PasswordGrantDeps): PasswordGrant {
  const { users, passwords, throttle, clock } = deps;
  const fail = loginFailures(deps.emit);
  const finishLogin = createFinishLogin(deps);

  return async (request) => {
    const admitted = await admit(request);
    const start = startLogin(clock);
    const user = await authenticate(request, admitted);
    // In parallel, so that the counters cost no extra round trip. If they fail, the response is 503, and nobody gets
    // the tokens of a session that may have been created.
    const [outcome] = await Promise.all([
      issueOrChallenge(user, request, start),
      throttle.succeeded(admitted),
    ]);
    return outcome;
  };

  async function admit(request: PasswordGrantRequest): Promise<AdmittedLogin> {
    const admission = await throttle.admit(request.username, request.client.clientAddress);
    if (admission.outcome === 'throttled') throw fail.throttled(request, admission);
    return admission.login;
  }

  async function authenticate(
    request: PasswordGrantRequest,
    admitted: AdmittedLogin,
  ): Promise<AnyUser> {
    const { username, password, client } = request;
    const user = await users.findByUsername(username);
    const comparison = await passwords.verify(user, password, client.clientAddress);
    if (comparison.outcome === 'shed') throw fail.shed(request, comparison.reason);
    const lock = throttle.lockedMeanwhile(admitted);
    if (lock !== null) throw fail.throttled(request, lock);
    if (comparison.outcome === 'mismatch') {
      // Emitted first: the login has failed even if its failure cannot be counted.
      const rejection = fail.rejected(request, user?.id ?? null, comparison.reason);
      await throttle.failed(admitted);
      throw rejection;
    }
    if (user === null) throw new Error('a password verifier accepted a user that does not exist');
    if (comparison.needsRehash) deps.rehash(user, password, client);
    if (admitted.isNewAddress) deps.emit({ type: 'login.new_address', userId: user.id, ...client });
    return user;
  }

  async function issueOrChallenge(
    user: AnyUser,
    request: PasswordGrantRequest,
    start: LoginStart,
  ): Promise<FinishedLogin> {
    const { accountId, scopes, expirationSeconds, version, client, maxTokenChars } = request;
    const terms = { accountId, scopes, expirationSeconds, version, client, maxTokenChars };
    const outcome = await finishLogin({ user, start, amr: ['pwd'], actor: 'user', ...terms });
    if (outcome.outcome !== 'rejected') return outcome;
    const { reason } = outcome;
    if (reason === 'revoked_meanwhile') throw fail.rejected(request, user.id, reason);
    throw fail.denied(request, user.id, reason);
  }
}
