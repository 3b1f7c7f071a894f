import type { FactorOf } from '../mfa/user-factor.ts';
import type { PasswordVerifier } from '../passwords/password-verifier.ts';
import type { Rehasher } from '../passwords/rehash.ts';
import type { Scope } from '../scope.ts';
import { newSession } from '../sessions/new-session.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { AdmittedLogin, LoginThrottle } from '../throttle/login-throttle.ts';
import { isEntitled, isMember } from '../users/entitlement.ts';
import type { User, UserDirectory } from '../users/users.ts';
import type { IssuedTokens, IssueTokens } from './issue-tokens.ts';
import { type LoginAttempt, loginFailures } from './login-failures.ts';
import { type LoginStart, msSince, startLogin } from './login-start.ts';
import {
  createStartChallenge,
  type PendingChallenge,
  type StartChallengeDeps,
} from './start-challenge.ts';

export interface PasswordGrantRequest extends LoginAttempt {
  readonly password: string;
  readonly accountId: number | null;
  readonly scopes: readonly Scope[];
  readonly expirationSeconds: number | undefined;
  /** Kept with a challenge, whose answer names no version of its own. */
  readonly version: 'v1' | 'v2';
}

export type PasswordGrantOutcome =
  | { readonly outcome: 'issued'; readonly tokens: IssuedTokens }
  | { readonly outcome: 'challenged'; readonly pending: PendingChallenge };

export type PasswordGrant = (request: PasswordGrantRequest) => Promise<PasswordGrantOutcome>;

export interface PasswordGrantDeps extends StartChallengeDeps {
  readonly users: UserDirectory;
  readonly passwords: PasswordVerifier;
  readonly throttle: LoginThrottle;
  readonly factorOf: FactorOf;
  readonly sessions: Pick<SessionStore, 'create'>;
  readonly issueTokens: IssueTokens;
  /** Called at every login whose stored hash does not have today's parameters. */
  readonly rehash: Rehasher;
}

/**
 * Logs a user in by password.
 *
 * Concurrency: a login that `revokeAll` overtakes ends in neither a session nor a challenge, and is answered like a
 * wrong password: that password may be the very reason for the revocation.
 *
 * Security: account, scopes and second factor are looked at only once the password was right, so that a wrong one tells
 * nothing about them.
 */
export function createPasswordGrant(deps: PasswordGrantDeps): PasswordGrant {
  const { users, passwords, throttle, sessions, policy, clock, emit } = deps;
  const fail = loginFailures(emit);
  const startChallenge = createStartChallenge(deps);

  return async (request) => {
    const admitted = await admit(request);
    const start = startLogin(clock);
    const user = await authenticate(request, admitted);
    // In parallel: the counters cost the login no round trip of its own. If they fail, it is answered 503, and nobody
    // holds the tokens of the session that may have been made.
    const [outcome] = await Promise.all([
      issueOrChallenge(user, request, start),
      throttle.succeeded(admitted),
    ]);
    return outcome;
  };

  async function admit(request: PasswordGrantRequest): Promise<AdmittedLogin> {
    const admission = await throttle.admit(request.username, request.origin.clientAddress);
    if (admission.outcome === 'throttled') throw fail.throttled(request, admission);
    return admission.login;
  }

  async function authenticate(
    request: PasswordGrantRequest,
    admitted: AdmittedLogin,
  ): Promise<User> {
    const { username, password, origin } = request;
    const user = await users.findByUsername(username);
    const verdict = await passwords.verify(user, password, origin.clientAddress);
    if (verdict.outcome === 'shed') throw fail.shed(request, verdict.reason);
    const closed = throttle.closedMeanwhile(admitted);
    if (closed !== null) throw fail.throttled(request, closed);
    if (verdict.outcome === 'mismatch') {
      const refusal = fail.refused(request, user?.id ?? null, verdict.reason);
      await throttle.failed(admitted);
      throw refusal;
    }
    if (user === null) throw new Error('a password verifier accepted a user that does not exist');
    if (verdict.needsRehash) deps.rehash(user, password, origin);
    return user;
  }

  async function issueOrChallenge(
    user: User,
    request: PasswordGrantRequest,
    start: LoginStart,
  ): Promise<PasswordGrantOutcome> {
    if (!isMember(user, request.accountId)) throw fail.denied(request, user.id, 'account_denied');
    if (!isEntitled(user, request.scopes)) throw fail.denied(request, user.id, 'scope_denied');
    const factor = await deps.factorOf(user);
    if (factor === null) return { outcome: 'issued', tokens: await login(user, request, start) };
    const pending = await startChallenge({ user, factor, attempt: request, start });
    return { outcome: 'challenged', pending };
  }

  async function login(
    user: User,
    request: PasswordGrantRequest,
    start: LoginStart,
  ): Promise<IssuedTokens> {
    const { accountId, scopes, expirationSeconds, origin } = request;
    const { maxPerUser } = policy.session;
    const { authTimeMs } = start;
    const grant = { userId: user.id, scopes, accountId, amr: ['pwd'], authTimeMs };
    const result = await sessions.create(
      // Spread last: adding properties after a spread takes many times as long.
      { authenticationMs: msSince(start, clock), ...newSession(grant, origin, policy) },
      { maxPerUser },
    );
    if (result.outcome === 'superseded') throw fail.refused(request, user.id, 'revoked_meanwhile');
    const { session } = result;
    const { userId, sessionId, amr, createdAtMs } = session;
    emit({ type: 'login.succeeded', userId, sessionId, accountId, scopes, amr, ...origin });
    return deps.issueTokens({
      user,
      session,
      nowMs: createdAtMs,
      scopes,
      accountId,
      expirationSeconds,
    });
  }
}
