import type { AccountId } from '../account-id.ts';
import type { ClientInfo } from '../client-info/client-info.ts';
import { isPromise } from '../maybe-promise.ts';
import type { Policy } from '../policy.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { findLiveSession } from '../sessions/find-live-session.ts';
import type { RefreshTokenContent, RefreshTokens } from '../sessions/refresh-token.ts';
import type { RotateOutcome, SessionRecord, SessionStore } from '../storage/session-store.ts';
import { denied } from '../users/entitlement.ts';
import { userStatusOf } from '../users/user-status.ts';
import type { AnyUser, AnyUserStore } from '../users/users.ts';
import { LONGEST_AMR } from './authentication-methods.ts';
import type { ClaimsOfHost } from './claims-of-host.ts';
import type { IssuedTokens, IssueTokens } from './issue-tokens.ts';
import { invalidRefreshToken, refreshRejections } from './refresh-rejections.ts';
import { type GrantRequest, type RejectedGrant, requestedGrant } from './requested-grant.ts';
import { reasonOfMisfit, type TokenFits } from './token-fits.ts';

export interface RefreshGrantRequest extends GrantRequest {
  readonly refreshToken: string;
  readonly expirationSeconds: number | undefined;
  readonly client: ClientInfo;
  /** The longest access token that the client can keep. Default: any that is accepted. */
  readonly maxTokenChars?: number | undefined;
}

export type RefreshGrant = (request: RefreshGrantRequest) => Promise<IssuedTokens>;

export interface RefreshGrantDeps {
  readonly users: Pick<AnyUserStore, 'findById'>;
  readonly sessions: Pick<SessionStore, 'rotate' | 'list'>;
  readonly refreshTokens: RefreshTokens;
  readonly claimsOfHost: ClaimsOfHost;
  readonly tokenFits: TokenFits;
  readonly issueTokens: IssueTokens;
  readonly scopeTable: ScopeTable;
  readonly policy: Policy;
  readonly emit: (event: SecurityEvent) => void;
}

/**
 * Exchanges a refresh token for a new pair (RFC 6749 6, RFC 9700 4.14.2).
 *
 * Atomicity: the rotation is the only storage call and the last step before signing that can fail; a request that is
 * rejected earlier has consumed nothing. (If it asks for another account or scope than it may have, or names too many
 * accounts, the session is read, and an older token is then presented to find out whether it is reused.) A crash after
 * the rotation is covered by the grace: when the client asks again, it gets the same successor.
 */
export function createRefreshGrant(deps: RefreshGrantDeps): RefreshGrant {
  const { users, sessions, refreshTokens, claimsOfHost, tokenFits, scopeTable, policy, emit } =
    deps;
  const fail = refreshRejections(emit);

  return async (request) => {
    const verified = refreshTokens.verify(request.refreshToken);
    if (verified === null) throw invalidRefreshToken();
    const { content, secretId } = verified;
    const { client, expirationSeconds, maxTokenChars } = request;
    const user = await loadUser(content, client);
    const grant = requestedGrant(user, content, request, scopeTable);
    if (grant.outcome === 'rejected') {
      return rejectGrant(grant, content, await loadLiveSession(content, client), client);
    }
    const { accountId, scopes } = grant;
    const { authTimeMs } = content;
    const asked = claimsOfHost(user, { accountId, scopes, authTimeMs });
    const claims = isPromise(asked) ? await asked : asked;
    const longest = {
      user,
      accountId,
      scopes,
      authTimeMs,
      amr: LONGEST_AMR,
      claims,
      maxTokenChars,
    };
    // The session's own `amr` is shorter, but only in the store, which is read only if the token may not fit.
    if (!tokenFits(longest)) {
      const session = await loadLiveSession(content, client);
      if (!tokenFits({ ...longest, amr: session.amr })) {
        return rejectGrant(misfit(accountId), content, session, client);
      }
    }
    const { session, nowMs } = await rotate(content, client);
    return deps.issueTokens({
      user,
      session,
      nowMs,
      scopes,
      accountId,
      claims,
      expirationSeconds,
      secretId,
    });
  };

  /** Looked up at every refresh, so that a user who is gone or disabled gets no more tokens. */
  async function loadUser(content: RefreshTokenContent, client: ClientInfo): Promise<AnyUser> {
    const userStatus = userStatusOf(await users.findById(content.userId), content);
    if (userStatus.outcome !== 'good') throw fail.rejected(content, client, userStatus.outcome);
    return userStatus.user;
  }

  /**
   * Rejects a request that asks for more than was granted; it consumes nothing.
   *
   * @throws {AuthError} always: the error of the rejected grant, or that of a token that is reused
   */
  async function rejectGrant(
    { reason, error }: RejectedGrant,
    content: RefreshTokenContent,
    session: SessionRecord,
    client: ClientInfo,
  ): Promise<never> {
    await detectReuse(content, session, client);
    throw fail.rejected(content, client, reason, error);
  }

  /** If the session has ended, that is the error: told to ask for less, the client would believe that it is live. */
  async function loadLiveSession(
    content: RefreshTokenContent,
    client: ClientInfo,
  ): Promise<SessionRecord> {
    const session = await findLiveSession(sessions, content);
    if (session === undefined) throw fail.rejected(content, client, 'ended');
    return session;
  }

  /**
   * Presents a token that is not the newest, which cannot rotate any more, to find out whether it is reused.
   *
   * @throws {AuthError} `invalid_grant` where it is reused, which ends the session, `too_many_requests`
   */
  async function detectReuse(
    content: RefreshTokenContent,
    session: SessionRecord,
    client: ClientInfo,
  ): Promise<void> {
    if (content.generation < session.generation) await present(content, client);
  }

  async function rotate(content: RefreshTokenContent, client: ClientInfo): Promise<Rotated> {
    const { userId, sessionId } = content;
    const result = await present(content, client);
    if (!sameGrant(content, result.session)) throw fail.rejected(content, client, 'grant_mismatch');
    if (result.outcome === 'rolled_forward') {
      emit({ type: 'session.rolled_forward', userId, sessionId, ...client });
    }
    emit({
      type: 'session.refreshed',
      userId,
      sessionId,
      generation: result.session.generation,
      replayed: result.outcome === 'replayed',
      ...client,
    });
    return result;
  }

  /**
   * Presents an authentic token to the store, which rotates the session, or ends it if the token is reused.
   *
   * @throws {AuthError} `invalid_grant` where it is reused, or the session has ended; `too_many_requests`,
   * `temporarily_unavailable`
   */
  async function present(content: RefreshTokenContent, client: ClientInfo): Promise<Rotated> {
    const { userId, sessionId, generation } = content;
    const { rotation, session } = policy;
    const request = { userId, sessionId, generation, ...rotation, idleMs: session.idleMs };
    const result = await sessions.rotate(request);
    switch (result.outcome) {
      case 'rotated':
      case 'rolled_forward':
      case 'replayed':
        return result;
      case 'busy':
        throw fail.busy(content, client);
      case 'reused':
        throw fail.reused(content, client);
      case 'expired':
      case 'revoked':
      case 'unknown':
        throw fail.rejected(content, client, result.outcome);
    }
  }
}

/** The outcomes of a rotation that lead to new tokens. */
type Rotated = Extract<RotateOutcome, { readonly session: SessionRecord }>;

function misfit(accountId: AccountId | null): RejectedGrant {
  const reason = reasonOfMisfit(accountId);
  return { outcome: 'rejected', reason, error: denied(reason) };
}

/** The store must agree with what was signed; if it does not, one of them has been tampered with. */
function sameGrant(content: RefreshTokenContent, session: SessionRecord): boolean {
  return (
    session.userId === content.userId &&
    session.sessionId === content.sessionId &&
    session.accountId === content.accountId &&
    session.scopes.join() === content.scopes.join()
  );
}
