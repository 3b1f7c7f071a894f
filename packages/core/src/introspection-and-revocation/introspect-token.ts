import type { AccountId } from '../account-id.ts';
import { claimsToBePersonal } from '../personal-access-tokens/personal-access-token.ts';
import type { PersonalAccessTokenInfo } from '../personal-access-tokens/personal-access-token-info.ts';
import type { UsePersonalAccessToken } from '../personal-access-tokens/use-personal-access-token.ts';
import type { Policy } from '../policy.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import { findLiveSession } from '../sessions/find-live-session.ts';
import type { RefreshTokenContent, RefreshTokens } from '../sessions/refresh-token.ts';
import { sessionEndsAtMs } from '../storage/decisions/session-state.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { AccessTokenInfo } from '../tokens/access-token-info.ts';
import type { AccessTokenVerifier } from '../tokens/access-token-verifier.ts';
import { emitRejectedToken } from '../tokens/emit-rejected-token.ts';
import { lastingScopes, userStatusOf } from '../users/entitlement.ts';
import type { AnyUserStore } from '../users/users.ts';

/** The content of a refresh token that could be exchanged now. */
export interface RefreshTokenInfo {
  readonly credential: 'refresh_token';
  readonly userId: string;
  readonly sessionId: string;
  /** The scopes that an exchange would issue. */
  readonly scopes: readonly Scope[];
  readonly accountId: AccountId | null;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** The content of a token of any kind. */
export type TokenInfo = AccessTokenInfo | PersonalAccessTokenInfo | RefreshTokenInfo;

/**
 * Returns the content of a token if it would be accepted now, or else `null`. Consumes nothing.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type IntrospectToken = (token: string) => Promise<TokenInfo | null>;

export interface IntrospectTokenDeps {
  readonly accessTokens: AccessTokenVerifier;
  readonly refreshTokens: Pick<RefreshTokens, 'verify'>;
  readonly sessions: Pick<SessionStore, 'isLive' | 'list'>;
  readonly users: Pick<AnyUserStore, 'findById'>;
  /** Absent: the app has no personal access tokens. */
  readonly usePersonalAccessToken?: UsePersonalAccessToken | undefined;
  readonly scopeTable: ScopeTable;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

export function createIntrospectToken(deps: IntrospectTokenDeps): IntrospectToken {
  const { accessTokens, refreshTokens, sessions, users, usePersonalAccessToken, clock, emit } =
    deps;
  const { idleMs } = deps.policy.session;

  return async (token) => {
    if (claimsToBePersonal(token))
      return (await usePersonalAccessToken?.(token, 'current')) ?? null;
    const refresh = refreshTokens.verify(token);
    return refresh === null ? byAccessToken(token) : byRefreshToken(refresh.content);
  };

  async function byAccessToken(token: string): Promise<AccessTokenInfo | null> {
    const verified = await accessTokens.verify(token);
    if (verified.outcome === 'invalid') return reject(verified.reason);
    const { userId, sessionId } = verified.info;
    const live = await sessions.isLive({ userId, sessionId });
    // Fails closed: an adapter without types may return anything.
    return live === true ? verified.info : reject('session_ended');
  }

  function reject(reason: Parameters<typeof emitRejectedToken>[0]): null {
    emitRejectedToken(reason, emit);
    return null;
  }

  /**
   * Only the newest refresh token is active. Its predecessor can be exchanged within the grace, but no client should
   * rely on that.
   */
  async function byRefreshToken(content: RefreshTokenContent): Promise<RefreshTokenInfo | null> {
    const { userId, sessionId } = content;
    const session = await findLiveSession(sessions, content);
    if (session?.generation !== content.generation) return null;
    // The store applies the idle limit of the last rotation. The option may be lower now, and the next rotation will
    // apply the lower limit.
    const expiresAtMs = sessionEndsAtMs(session, idleMs);
    if (clock.nowMs() >= expiresAtMs) return null;
    const userStatus = userStatusOf(await users.findById(userId), content);
    if (userStatus.outcome !== 'good') return null;
    const scopes = lastingScopes(userStatus.user, content.scopes, deps.scopeTable);
    if (scopes.length === 0) return null;
    return {
      credential: 'refresh_token',
      userId,
      sessionId,
      scopes,
      accountId: content.accountId,
      issuedAtMs: session.rotatedAtMs,
      expiresAtMs,
    };
  }
}
