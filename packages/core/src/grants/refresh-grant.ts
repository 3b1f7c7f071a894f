import { AuthError } from '../errors.ts';
import type { Policy } from '../policy.ts';
import type { Origin } from '../ports/events/origin.ts';
import type { SessionRefusalReason } from '../ports/events/session-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Scope } from '../scope.ts';
import { findLiveSession } from '../sessions/find-live-session.ts';
import type { RefreshTokenContent, RefreshTokens } from '../sessions/refresh-token.ts';
import type { RotateOutcome, SessionRecord, SessionStore } from '../storage/session-store.ts';
import { denied, isMember, lastingScopes } from '../users/entitlement.ts';
import { standingOf } from '../users/standing.ts';
import type { User, UserDirectory } from '../users/users.ts';
import type { IssuedTokens, IssueTokens } from './issue-tokens.ts';

export interface RefreshGrantRequest {
  readonly refreshToken: string;
  readonly accountId: number | null;
  /** `undefined`: those granted, as far as the user still has them. */
  readonly scopes: readonly Scope[] | undefined;
  readonly expirationSeconds: number | undefined;
  readonly origin: Origin;
}

export type RefreshGrant = (request: RefreshGrantRequest) => Promise<IssuedTokens>;

export interface RefreshGrantDeps {
  readonly users: Pick<UserDirectory, 'findById'>;
  readonly sessions: Pick<SessionStore, 'rotate' | 'list'>;
  readonly refreshTokens: RefreshTokens;
  readonly issueTokens: IssueTokens;
  readonly policy: Policy;
  readonly emit: (event: SecurityEvent) => void;
}

/**
 * Exchanges a refresh token for a new pair (RFC 6749 6, RFC 9700 4.14.2).
 *
 * Atomicity: the rotation is the only storage trip and the last step before signing that can fail; a request that is
 * refused before it has consumed nothing. (For a refused account or scope the trip is a read instead, and for an older
 * token a second one tells whether it is reused.) A crash after the rotation is covered by the grace: when the client
 * asks again, it is answered the same successor.
 */
export function createRefreshGrant(deps: RefreshGrantDeps): RefreshGrant {
  const { users, sessions, refreshTokens, policy, emit } = deps;
  const { graceMs, replayLimit, rollForwardLimit } = policy.rotation;
  const { idleMs } = policy.session;

  return async (request) => {
    const opened = refreshTokens.open(request.refreshToken);
    if (opened === null) throw refusal();
    const { content, secretId } = opened;
    const user = await loadUser(content, request.origin);
    const accountId = await resolveAccount(content, request, user);
    const scopes = await resolveScopes(content, request, user);
    const { session, nowMs } = await rotate(content, request.origin);
    return deps.issueTokens({
      user,
      session,
      nowMs,
      scopes,
      accountId,
      expirationSeconds: request.expirationSeconds,
      secretId,
    });
  };

  /** The directory is asked at every refresh. */
  async function loadUser(content: RefreshTokenContent, origin: Origin): Promise<User> {
    const standing = standingOf(await users.findById(content.userId), content);
    if (standing.outcome !== 'good') throw emittedRefusal(standing.outcome, content, origin);
    return standing.user;
  }

  async function rotate(
    content: RefreshTokenContent,
    origin: Origin,
  ): Promise<{ session: SessionRecord; nowMs: number }> {
    const { userId, sessionId } = content;
    const result = await presentToStore(content, origin);
    if (!sameGrant(content, result.session))
      throw emittedRefusal('grant_mismatch', content, origin);
    if (result.outcome === 'rolled_forward') {
      emit({ type: 'session.rolled_forward', userId, sessionId, ...origin });
    }
    emit({
      type: 'session.refreshed',
      userId,
      sessionId,
      generation: result.session.generation,
      replayed: result.outcome === 'replayed',
      ...origin,
    });
    return result;
  }

  /** Presents the token to the store; returns only outcomes that lead to new tokens. */
  async function presentToStore(
    content: RefreshTokenContent,
    origin: Origin,
  ): Promise<Extract<RotateOutcome, { session: SessionRecord }>> {
    const { userId, sessionId, generation } = content;
    const result = await sessions.rotate({
      userId,
      sessionId,
      generation,
      graceMs,
      replayLimit,
      rollForwardLimit,
      idleMs,
    });
    switch (result.outcome) {
      case 'rotated':
      case 'rolled_forward':
      case 'replayed':
        return result;
      case 'busy':
        throw emittedRefusal('busy', content, origin, usedTooOften());
      case 'reused':
        emit({ type: 'session.reused', userId, sessionId, ...origin });
        throw refusal();
      case 'expired':
      case 'revoked':
      case 'unknown':
        throw emittedRefusal(result.outcome, content, origin);
    }
  }

  /** @throws {AuthError} `invalid_request` for another account than the bound one; `access_denied` for a foreign one */
  async function resolveAccount(
    content: RefreshTokenContent,
    { accountId: asked, origin }: RefreshGrantRequest,
    user: User,
  ): Promise<number | null> {
    const { accountId: bound } = content;
    if (asked === null || asked === bound) return bound;
    if (bound === null && isMember(user, asked)) return asked;
    const error = bound === null ? denied('account_denied') : boundElsewhere();
    throw await emittedRefusalOfLive('account_denied', error, content, origin);
  }

  /**
   * A scope that was granted and is gone since, as `auth` always is, is left out without a refusal, since clients
   * repeat the scopes of their login (RFC 6749 6 forbids only what was not granted).
   *
   * @throws {AuthError} `invalid_scope` where more is asked for than was granted, or nothing is left
   */
  async function resolveScopes(
    content: RefreshTokenContent,
    { scopes: asked = content.scopes, origin }: RefreshGrantRequest,
    user: User,
  ): Promise<readonly Scope[]> {
    const granted = asked.every((scope) => content.scopes.includes(scope));
    const left = lastingScopes(user, asked);
    if (granted && left.length > 0) return left;
    const error = new AuthError('invalid_scope', 'The session does not have these scopes to give.');
    throw await emittedRefusalOfLive('scope_denied', error, content, origin);
  }

  /**
   * The refusal, emitted, of a request that asks for too much of its session; it consumes nothing. If the session has
   * ended, the refusal says that instead: a client that is told to ask for less would believe it alive.
   *
   * @throws {AuthError} for a token that is not the newest, whatever it asks for: `invalid_grant` where it is reused,
   * which ends the session, `too_many_requests`
   */
  async function emittedRefusalOfLive(
    reason: SessionRefusalReason,
    error: AuthError,
    content: RefreshTokenContent,
    origin: Origin,
  ): Promise<AuthError> {
    const session = await findLiveSession(sessions, content);
    if (session === undefined) return emittedRefusal('ended', content, origin);
    // An older token cannot rotate anything any more.
    if (content.generation < session.generation) await presentToStore(content, origin);
    return emittedRefusal(reason, content, origin, error);
  }

  function emittedRefusal(
    reason: SessionRefusalReason,
    { userId, sessionId }: RefreshTokenContent,
    origin: Origin,
    error: AuthError = refusal(),
  ): AuthError {
    emit({ type: 'session.refused', reason, userId, sessionId, ...origin });
    return error;
  }
}

/** One answer for a token that is malformed, unknown, expired, revoked or reused. */
function refusal(): AuthError {
  return new AuthError('invalid_grant', 'The refresh token is not valid.');
}

function usedTooOften(): AuthError {
  return new AuthError('too_many_requests', 'This refresh token is used too often.', {
    retryAfterSeconds: 1,
  });
}

function boundElsewhere(): AuthError {
  return new AuthError('invalid_request', 'The session is bound to another account.', {
    fields: [{ field: 'account_id', message: 'must be the account of the login' }],
  });
}

/** The store must agree with what was sealed; where it does not, something has been tampered with. */
function sameGrant(content: RefreshTokenContent, session: SessionRecord): boolean {
  return (
    session.userId === content.userId &&
    session.sessionId === content.sessionId &&
    session.accountId === content.accountId &&
    session.scopes.join() === content.scopes.join()
  );
}
