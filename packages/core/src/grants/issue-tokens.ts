import type { AccountId } from '../account-id.ts';
import type { CallGuard } from '../faults/call-guard.ts';
import type { SecretId } from '../keys/secret-ring.ts';
import { type MaybePromise, whenResolved } from '../maybe-promise.ts';
import { type Policy, STEP_UP_SECONDS } from '../policy.ts';
import type { Clock } from '../ports/clock.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { RefreshTokens } from '../sessions/refresh-token.ts';
import { sessionEndsAtMs } from '../storage/decisions/session-state.ts';
import type { SessionRecord } from '../storage/session-store.ts';
import { checkedHostClaims, type HostClaims, NO_HOST_CLAIMS } from '../tokens/host-claims.ts';
import type { IssueAccessToken } from '../tokens/issue-access-token.ts';
import { accountsFor, accountsOf } from '../users/entitlement.ts';
import type { AnyUser } from '../users/users.ts';
import type { AccessTokenClaims, TokenLogin } from './access-token-claims.ts';

/** The result of every grant. */
export interface IssuedTokens<Scopes extends string = Scope, Id extends AccountId = AccountId> {
  readonly userId: string;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken: string;
  readonly refreshExpiresInSeconds: number;
  /** All accounts of the user, each once. */
  readonly accounts: readonly Id[];
  /** The scopes of the access token. */
  readonly scopes: readonly Scopes[];
}

export interface IssueRequest {
  readonly user: AnyUser;
  /** The session as the store holds it now. */
  readonly session: SessionRecord;
  /** The time of the store when it returned `session`, ms. */
  readonly nowMs: number;
  /** The scopes to issue; the session may have been granted more. */
  readonly scopes: readonly Scope[];
  /** The account of the token: the account of the session, or else the account that the client requested. */
  readonly accountId: AccountId | null;
  /** The claims that the host adds. */
  readonly claims: HostClaims;
  /** The lifetime that the client requested, at least 600. */
  readonly expirationSeconds: number | undefined;
  /** The secret that signed the predecessor of the refresh token. */
  readonly secretId?: SecretId;
}

interface IssueTokensDeps {
  readonly issueAccessToken: IssueAccessToken;
  readonly refreshTokens: Pick<RefreshTokens, 'sign'>;
  readonly scopeTable: ScopeTable;
  readonly policy: Policy;
  readonly clock: Clock;
}

export type IssueTokens = (request: IssueRequest) => IssuedTokens;

/**
 * The common last step of all grants: signs an access token, which `TokenFits` must have accepted, and the session's
 * newest refresh token.
 */
export function createIssueTokens(deps: IssueTokensDeps): IssueTokens {
  const { issueAccessToken, refreshTokens, scopeTable, policy, clock } = deps;

  return (request) => {
    const { user, session, nowMs, scopes, accountId, claims, expirationSeconds, secretId } =
      request;
    const refreshExpiresInSeconds = secondsUntil(
      sessionEndsAtMs(session, policy.session.idleMs),
      nowMs,
    );
    const expiresInSeconds = Math.min(
      expirationSeconds ?? policy.accessTokenSeconds,
      policy.maxAccessTokenSeconds,
      scopeTable.stepsUp(scopes) ? STEP_UP_SECONDS : Number.POSITIVE_INFINITY,
      // A client refreshes just before its access token expires; the session must still be live then.
      refreshExpiresInSeconds,
    );
    const accessToken = issueAccessToken(
      {
        userId: session.userId,
        sessionId: session.sessionId,
        scopes,
        accounts: accountsFor(user, accountId),
        accountId,
        authTimeMs: session.authTimeMs,
        amr: session.amr,
        claims,
      },
      // By the clock of the processes, which also verify the token.
      { nowMs: clock.nowMs(), lifetimeSeconds: expiresInSeconds },
    );
    return {
      userId: session.userId,
      accessToken,
      expiresInSeconds,
      refreshToken: refreshTokens.sign(session, secretId),
      refreshExpiresInSeconds,
      accounts: accountsOf(user),
      scopes,
    };
  };
}

function secondsUntil(ms: number, nowMs: number): number {
  return Math.max(1, Math.floor((ms - nowMs) / 1000));
}

/** Calls {@link AccessTokenClaims} and checks the result. Returns a promise only if the host does. */
export type ClaimsOfHost = (
  user: AnyUser,
  login: TokenLogin<Scope, AccountId>,
) => MaybePromise<HostClaims>;

/**
 * Asks the host for its claims. Call this before anything is stored or consumed.
 *
 * @throws {AuthError} `temporarily_unavailable` if the host fails or times out; `server_error` for invalid claims
 */
export function createClaimsOfHost(
  accessTokenClaims: AccessTokenClaims<HostClaims, Scope, AccountId> | undefined,
  call: CallGuard,
): ClaimsOfHost {
  if (accessTokenClaims === undefined) return () => NO_HOST_CLAIMS;
  return (user, { accountId, scopes, authTimeMs }) => {
    // A copy, because the host may change the list, and the token has the scopes of the original.
    const login = { accountId, scopes: [...scopes], authTimeMs };
    return whenResolved(
      call(() => accessTokenClaims(user, login)),
      checkedHostClaims,
    );
  };
}
