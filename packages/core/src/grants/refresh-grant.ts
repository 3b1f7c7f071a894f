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
import { type Excess, type GrantRequest, requestedGrant } from './requested-grant.ts';
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
 * Atomicity: the rotation is the only storage trip and the last step before signing that can fail; a request that is
 * rejected before it has consumed nothing. (For a rejected account or scope, or too many accounts, the trip is a read
 * instead, and for an older token a second one tells whether it is reused.) A crash after the rotation is covered by
 * the grace: when the client asks again, it is answered the same successor.
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
    if (grant.outcome === 'excess') {
      return rejectExcess(grant, content, await loadLiveSession(content, client), client);
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
    // Its own `amr` is in the store alone, which is asked only where that decides.
    if (!tokenFits(longest)) {
      const session = await loadLiveSession(content, client);
      if (!tokenFits({ ...longest, amr: session.amr })) {
        return rejectExcess(misfit(accountId), content, session, client);
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

  /** The user store is asked at every refresh. */
  async function loadUser(content: RefreshTokenContent, client: ClientInfo): Promise<AnyUser> {
    const userStatus = userStatusOf(await users.findById(content.userId), content);
    if (userStatus.outcome !== 'good') throw fail.rejected(content, client, userStatus.outcome);
    return userStatus.user;
  }

  /**
   * Rejects a request that asks for too much of its session; it consumes nothing.
   *
   * @throws {AuthError} always: the error of the excess, or what the token itself is rejected with
   */
  async function rejectExcess(
    { reason, error }: Excess,
    content: RefreshTokenContent,
    session: SessionRecord,
    client: ClientInfo,
  ): Promise<never> {
    await detectReuse(content, session, client);
    throw fail.rejected(content, client, reason, error);
  }

  /** If the session has ended, the rejection says so: a client that is told to ask for less would believe it alive. */
  async function loadLiveSession(
    content: RefreshTokenContent,
    client: ClientInfo,
  ): Promise<SessionRecord> {
    const session = await findLiveSession(sessions, content);
    if (session === undefined) throw fail.rejected(content, client, 'ended');
    return session;
  }

  /**
   * Presents a token that is not the newest: it cannot rotate anything any more, whatever it asks for.
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
   * Presents an authentic token to the store, which rotates the session, or finds the token reused and ends it.
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

/** An outcome of the store that leads to new tokens. */
type Rotated = Extract<RotateOutcome, { readonly session: SessionRecord }>;

function misfit(accountId: AccountId | null): Excess {
  const reason = reasonOfMisfit(accountId);
  return { outcome: 'excess', reason, error: denied(reason) };
}

/** The store must agree with what was signed; where it does not, something has been tampered with. */
function sameGrant(content: RefreshTokenContent, session: SessionRecord): boolean {
  return (
    session.userId === content.userId &&
    session.sessionId === content.sessionId &&
    session.accountId === content.accountId &&
    session.scopes.join() === content.scopes.join()
  );
}
