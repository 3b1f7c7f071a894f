import type { ClientInfo } from '../client-info/client-info.ts';
import type { Policy } from '../policy.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { findLiveSession } from '../sessions/find-live-session.ts';
import type { RefreshTokenContent, RefreshTokens } from '../sessions/refresh-token.ts';
import type { RotateOutcome, SessionRecord, SessionStore } from '../storage/session-store.ts';
import { denied, userStatusOf } from '../users/entitlement.ts';
import type { AnyUser, AnyUserStore } from '../users/users.ts';
import { LONGEST_AMR } from './authentication-methods.ts';
import type { ClaimsOfHost, IssuedTokens, IssueTokens } from './issue-tokens.ts';
import { type GrantRequest, narrowGrant } from './narrow-grant.ts';
import { invalidRefreshToken, refreshRejections } from './refresh-rejections.ts';
import { assertHasSeveralAccounts, type TokenFits } from './token-fits.ts';

export interface RefreshGrantRequest extends GrantRequest {
  readonly refreshToken: string;
  readonly expirationSeconds: number | undefined;
  readonly client: ClientInfo;
  /** The longest access token that the client can store, in characters. Default: `ACCESS_TOKEN_MAX_LENGTH`. */
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
 * Atomicity: the rotation is the last step that can fail, and usually the only storage call; a request that is rejected
 * earlier has consumed nothing. (If the request exceeds the grant, or the token would name too many accounts, the
 * session is read first. If the refresh token is not the newest, it is presented to the store too, which detects its
 * reuse.) The grace covers a crash after
 * the rotation: if the client repeats the request, it gets the same successor.
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
    const grant = narrowGrant(user, content, request, scopeTable);
    if (grant.outcome === 'rejected') {
      await assertNotReused(content, await loadLiveSession(content, client), client);
      throw fail.rejected(content, client, grant.reason, grant.error);
    }
    const { accountId, scopes } = grant;
    const { authTimeMs } = content;
    const claims = await claimsOfHost(user, { accountId, scopes, authTimeMs });
    const longestContent = {
      user,
      accountId,
      scopes,
      authTimeMs,
      amr: LONGEST_AMR,
      claims,
      maxTokenChars,
    };
    // The actual `amr` is shorter, but has to be read from the store. That is done only if the token may not fit.
    if (!tokenFits(longestContent)) {
      const session = await loadLiveSession(content, client);
      if (!tokenFits({ ...longestContent, amr: session.amr })) {
        await assertNotReused(content, session, client);
        assertHasSeveralAccounts(accountId, user);
        const reason = 'too_many_accounts';
        throw fail.rejected(content, client, reason, denied(reason));
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

  /** Looks the user up at every refresh, so that a user who is gone or disabled gets no more tokens. */
  async function loadUser(content: RefreshTokenContent, client: ClientInfo): Promise<AnyUser> {
    const userStatus = userStatusOf(await users.findById(content.userId), content);
    if (userStatus.outcome !== 'good') throw fail.rejected(content, client, userStatus.outcome);
    return userStatus.user;
  }

  /**
   * For a request that will be rejected without consuming its token. A token that is not the newest is presented to the
   * store: it cannot rotate the session any more, and is rejected there if it is reused.
   */
  async function assertNotReused(
    content: RefreshTokenContent,
    session: SessionRecord,
    client: ClientInfo,
  ): Promise<void> {
    if (content.generation < session.generation) await present(content, client);
  }

  /**
   * Rejects if the session has ended. That error takes precedence: a client that gets an error about its scopes would
   * believe that the session is live.
   */
  async function loadLiveSession(
    content: RefreshTokenContent,
    client: ClientInfo,
  ): Promise<SessionRecord> {
    const session = await findLiveSession(sessions, content);
    if (session === undefined) throw fail.rejected(content, client, 'ended');
    return session;
  }

  async function rotate(content: RefreshTokenContent, client: ClientInfo): Promise<Rotated> {
    const { userId, sessionId } = content;
    const result = await present(content, client);
    if (!isSameGrant(content, result.session))
      throw fail.rejected(content, client, 'grant_mismatch');
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
   * @throws {AuthError} `invalid_grant` if the token is reused or the session has ended; `too_many_requests`,
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

/** Whether the stored session has the grant of the token. If not, somebody has tampered with one of them. */
function isSameGrant(content: RefreshTokenContent, session: SessionRecord): boolean {
  return (
    session.userId === content.userId &&
    session.sessionId === content.sessionId &&
    session.accountId === content.accountId &&
    session.scopes.join() === content.scopes.join()
  );
}
