import { AuthError } from '../errors.ts';
import type { ChallengeTokens } from '../mfa/challenge-token.ts';
import type { FactorOf, UserFactor } from '../mfa/user-factor.ts';
import type { PasswordVerifier } from '../passwords/password-verifier.ts';
import type { Rehasher } from '../passwords/rehash.ts';
import type { Policy } from '../policy.ts';
import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { LoginFailureReason } from '../ports/events/login-security-event.ts';
import type { Origin } from '../ports/events/origin.ts';
import { randomId } from '../ports/random.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Scope } from '../scope.ts';
import { newSession } from '../sessions/new-session.ts';
import type { ChallengeStore } from '../storage/challenge-store.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { AdmittedLogin, LoginThrottle, Throttled } from '../throttle/login-throttle.ts';
import { secondsToWait } from '../throttle/seconds-to-wait.ts';
import { type Denial, denied, isEntitled, isMember } from '../users/entitlement.ts';
import type { User, UserDirectory } from '../users/users.ts';
import type { IssuedTokens, IssueTokens } from './issue-tokens.ts';

export interface PasswordGrantRequest {
  readonly username: string;
  readonly password: string;
  readonly accountId: number | null;
  readonly scopes: readonly Scope[];
  readonly expirationSeconds: number | undefined;
  /** Kept with a challenge, whose answer names no version of its own. */
  readonly version: 'v1' | 'v2';
  readonly origin: Origin;
}

export interface PendingChallenge {
  readonly challenge: string;
  readonly expiresInSeconds: number;
  readonly methods: readonly ('totp' | 'recovery_code')[];
}

export type PasswordGrantOutcome =
  | { readonly outcome: 'issued'; readonly tokens: IssuedTokens }
  | { readonly outcome: 'challenged'; readonly pending: PendingChallenge };

export type PasswordGrant = (request: PasswordGrantRequest) => Promise<PasswordGrantOutcome>;

export interface PasswordGrantDeps {
  readonly users: UserDirectory;
  readonly passwords: PasswordVerifier;
  readonly throttle: LoginThrottle;
  readonly factorOf: FactorOf;
  readonly sessions: Pick<SessionStore, 'create'>;
  readonly challenges: Pick<ChallengeStore, 'create'>;
  readonly challengeTokens: ChallengeTokens;
  readonly issueTokens: IssueTokens;
  /** Called at every login whose stored hash does not have today's parameters. */
  readonly rehash: Rehasher;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

/** The moment before the user is read: what the host changes from here on is newer than this login. */
interface LoginStart {
  readonly authTimeMs: number;
  readonly monotonicMs: number;
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
  const { users, passwords, throttle, sessions, challenges, policy, clock, emit } = deps;

  return async (request) => {
    const admitted = await admit(request);
    const start = { authTimeMs: clock.nowMs(), monotonicMs: monotonicMs(clock) };
    const user = await authenticate(request, admitted);
    // In parallel: the counters cost the login no round trip of its own. If they fail, it is answered 503, and nobody
    // holds the tokens of the session that may have been made.
    const [outcome] = await Promise.all([
      issueOrChallenge(user, request, start),
      throttle.succeeded(admitted),
    ]);
    return outcome;
  };

  async function admit({ username, origin }: PasswordGrantRequest): Promise<AdmittedLogin> {
    const admission = await throttle.admit(username, origin.clientAddress);
    if (admission.outcome === 'throttled') throw emittedThrottling(admission, username, origin);
    return admission.login;
  }

  async function authenticate(
    { username, password, origin }: PasswordGrantRequest,
    admitted: AdmittedLogin,
  ): Promise<User> {
    const user = await users.findByUsername(username);
    const verdict = await passwords.verify(user, password, origin.clientAddress);
    if (verdict.outcome === 'shed') {
      emit({ type: 'login.shed', username, reason: verdict.reason, ...origin });
      throw new AuthError('temporarily_unavailable', 'Too many logins at once; try again.', {
        reason: `the hash queue is full: ${verdict.reason}`,
        retryAfterSeconds: 1,
      });
    }
    const closed = throttle.closedMeanwhile(admitted);
    if (closed !== null) throw emittedThrottling(closed, username, origin);
    if (verdict.outcome === 'mismatch') {
      const refusal = emittedRefusal(username, user?.id ?? null, verdict.reason, origin);
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
    if (!isMember(user, request.accountId)) throw emittedDenial('account_denied', user, request);
    if (!isEntitled(user, request.scopes)) throw emittedDenial('scope_denied', user, request);
    const factor = await deps.factorOf(user);
    return factor === null
      ? { outcome: 'issued', tokens: await login(user, request, start) }
      : { outcome: 'challenged', pending: await challenge(user, factor, request, start) };
  }

  async function challenge(
    user: User,
    factor: UserFactor,
    { username, accountId, version, origin }: PasswordGrantRequest,
    start: LoginStart,
  ): Promise<PendingChallenge> {
    const ref = { userId: user.id, challengeId: randomId() };
    const { outcome } = await challenges.create({
      ...ref,
      context: { accountId, version, authTimeMs: start.authTimeMs },
      ttlMs: policy.challengeMs,
      authenticationMs: msSince(start),
    });
    if (outcome === 'superseded')
      throw emittedRefusal(username, user.id, 'revoked_meanwhile', origin);
    emit({ type: 'challenge.created', userId: user.id, ...origin });
    return {
      challenge: deps.challengeTokens.seal(ref),
      expiresInSeconds: Math.floor(policy.challengeMs / 1000),
      methods: factor.consumeRecoveryCode === undefined ? ['totp'] : ['totp', 'recovery_code'],
    };
  }

  async function login(
    user: User,
    { username, accountId, scopes, expirationSeconds, origin }: PasswordGrantRequest,
    start: LoginStart,
  ): Promise<IssuedTokens> {
    const { maxPerUser } = policy.session;
    const { authTimeMs } = start;
    const grant = { userId: user.id, scopes, accountId, amr: ['pwd'], authTimeMs };
    const result = await sessions.create(
      // Spread last: adding properties after a spread takes many times as long.
      { authenticationMs: msSince(start), ...newSession(grant, origin, policy) },
      { maxPerUser },
    );
    if (result.outcome === 'superseded') {
      throw emittedRefusal(username, user.id, 'revoked_meanwhile', origin);
    }
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

  /** Rounded up: the login may seem to have begun a little earlier, never later. */
  function msSince(start: LoginStart): number {
    return Math.max(0, Math.ceil(monotonicMs(clock) - start.monotonicMs));
  }

  /** The refusal, emitted, of a login whose password is right, but that asks for too much. */
  function emittedDenial(
    reason: Denial,
    { id: userId }: User,
    { username, origin }: PasswordGrantRequest,
  ): AuthError {
    emit({ type: 'login.failed', username, userId, reason, ...origin });
    return denied(reason);
  }

  /** The refusal, emitted: one answer, whatever kept the password from letting the user in. */
  function emittedRefusal(
    username: string,
    userId: string | null,
    reason: LoginFailureReason,
    origin: Origin,
  ): AuthError {
    emit({ type: 'login.failed', username, userId, reason, ...origin });
    return new AuthError('invalid_grant', 'The username or the password is wrong.');
  }

  function emittedThrottling(
    { by, retryAfterMs }: Throttled,
    username: string,
    origin: Origin,
  ): AuthError {
    const retryAfterSeconds = secondsToWait(retryAfterMs);
    emit({ type: 'login.throttled', username, by, retryAfterSeconds, ...origin });
    return new AuthError('too_many_requests', 'Too many failed logins; try again later.', {
      retryAfterSeconds,
    });
  }
}
