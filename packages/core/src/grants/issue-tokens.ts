import type { AccountId } from '../account-id.ts';
import { serverFault } from '../errors.ts';
import type { CallGuard } from '../faults/call-guard.ts';
import type { SecretId } from '../keys/secret-ring.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { type MaybePromise, whenResolved } from '../maybe-promise.ts';
import { type Policy, STEP_UP_SECONDS } from '../policy.ts';
import type { Clock } from '../ports/clock.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { RefreshTokens } from '../sessions/refresh-token.ts';
import { sessionEndsAtMs } from '../storage/decisions/session-state.ts';
import type { SessionRecord } from '../storage/session-store.ts';
import { ACCESS_TOKEN_MAX_LENGTH } from '../tokens/access-token.ts';
import { checkedHostClaims, type HostClaims, NO_HOST_CLAIMS } from '../tokens/host-claims.ts';
import {
  type AccessTokenSubject,
  claimsOf,
  compactJwsLength,
  type IssueAccessToken,
  type TokenIdentity,
} from '../tokens/issue-access-token.ts';
import { accountsFor, accountsOf } from '../users/entitlement.ts';
import type { AnyUser } from '../users/users.ts';
import type { AccessTokenClaims, TokenLogin } from './access-token-claims.ts';
import { LONGEST_AMR } from './authentication-methods.ts';

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
    const expiresInSeconds = Math.min(
      expirationSeconds ?? policy.accessTokenSeconds,
      policy.maxAccessTokenSeconds,
      scopeTable.stepsUp(scopes) ? STEP_UP_SECONDS : Number.POSITIVE_INFINITY,
      secondsUntil(session.expiresAtMs, nowMs),
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
      { nowMs: clock.nowMs(), lifetimeSeconds: expiresInSeconds },
    );
    const endsAtMs = sessionEndsAtMs(session, policy.session.idleMs);
    return {
      userId: session.userId,
      accessToken,
      expiresInSeconds,
      refreshToken: refreshTokens.sign(session, secretId),
      refreshExpiresInSeconds: secondsUntil(endsAtMs, nowMs),
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

/** The content of an access token that a grant is about to issue. */
export interface TokenContent
  extends Pick<AccessTokenSubject, 'scopes' | 'accountId' | 'amr' | 'authTimeMs' | 'claims'> {
  readonly user: AnyUser;
  /** The longest token that the client can store, in characters. Default: {@link ACCESS_TOKEN_MAX_LENGTH}. */
  readonly maxTokenChars?: number | undefined;
}

/**
 * Whether an access token is short enough to be issued: a token that names very many accounts may exceed {@link
 * ACCESS_TOKEN_MAX_LENGTH} characters, and would be rejected unread. Check this before anything is stored. A token that
 * is bound to one account always fits, except in a cookie.
 */
export type TokenFits = (content: TokenContent) => boolean;

/** As long as any session id. */
const ANY_SESSION_ID = 'A'.repeat(22);
/** As long as any `jti`. */
const ANY_TOKEN_ID = '00000000-0000-0000-0000-000000000000';
const EMPTY_CONTENT: TokenContent = {
  user: { id: '', accounts: [], passwordHash: null },
  scopes: [],
  accountId: null,
  authTimeMs: 1e12,
  amr: LONGEST_AMR,
  claims: NO_HOST_CLAIMS,
};
/** JSON escapes a character as at most six characters (`\u0000`), which base64url encodes as eight. */
const MAX_ENCODED_CHARS = 8;
/** The longest account id in JSON: 64 characters, quotes and a comma. */
const MAX_ACCOUNT_CHARS = 67;

export function createTokenFits(
  keys: Pick<SigningKeys, 'signingKey' | 'maxSignatureBytes'>,
  identity: TokenIdentity,
  clock: Clock,
): TokenFits {
  function lengthOf({ user, scopes, accountId, authTimeMs, amr, claims }: TokenContent): number {
    const { id: userId } = user;
    const accounts = accountsFor(user, accountId);
    const sessionId = ANY_SESSION_ID;
    const subject = { userId, sessionId, scopes, accounts, accountId, authTimeMs, amr, claims };
    // The lifetime does not matter, because `exp` always has the same number of digits.
    const life = { tokenId: ANY_TOKEN_ID, nowMs: clock.nowMs(), lifetimeSeconds: 0 };
    return compactJwsLength(claimsOf(subject, identity, life), {
      signingKey: keys.signingKey(),
      signatureBytes: keys.maxSignatureBytes,
    });
  }
  const baseLength = lengthOf(EMPTY_CONTENT);

  return (content) => {
    const { maxTokenChars = ACCESS_TOKEN_MAX_LENGTH } = content;
    // This upper bound is enough for nearly every token; the exact length costs as much as issuing the token.
    if (baseLength + MAX_ENCODED_CHARS * maxCharsOf(content) <= maxTokenChars) return true;
    return lengthOf(content) <= maxTokenChars;
  };
}

/** An upper bound of the characters by which the content exceeds `EMPTY_CONTENT`. */
function maxCharsOf({ user, scopes, claims }: TokenContent): number {
  if (claims !== NO_HOST_CLAIMS) return Number.POSITIVE_INFINITY;
  const accounts = (user.accounts.length + 1) * MAX_ACCOUNT_CHARS;
  return scopes.reduce((sum, scope) => sum + scope.length + 1, user.id.length + accounts);
}

/**
 * Why a token that does not fit is rejected.
 *
 * @throws {AuthError} `server_error` if no client could request a shorter token: the token is bound to an account, or
 * the user has no second account
 */
export function reasonOfMisfit(
  accountId: AccountId | null,
  { accounts }: Pick<AnyUser, 'accounts'>,
): 'too_many_accounts' {
  if (accountId === null && accounts.length > 1) return 'too_many_accounts';
  throw serverFault({
    reason:
      'an access token for one account is longer than its client can keep: cookies take 4,000 characters. Shorten what accessTokenClaims returns, or the scopes',
    where: 'host',
  });
}
