import type { AccountId } from '../account-id.ts';
import type { Scope } from '../scopes/scope.ts';
import { newSession } from '../sessions/new-session.ts';
import type { SessionRecord } from '../storage/session-store.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import { type Denial, isEntitled, isMember } from '../users/entitlement.ts';
import type { AuthenticatedLogin, LoginTerms, RejectedLogin } from './authenticated-login.ts';
import { CODE_METHOD } from './authentication-methods.ts';
import type { ClaimsOfHost, IssuedTokens, IssueTokens } from './issue-tokens.ts';
import { msSince } from './login-start.ts';
import {
  type ChallengedLogin,
  createStartChallenge,
  type StartChallengeDeps,
} from './start-challenge.ts';
import { createStartSession, type StartSessionDeps } from './start-session.ts';
import { assertHasSeveralAccounts, type TokenFits } from './token-fits.ts';

/** The result of a login that is not rejected: tokens, or a challenge. */
export type FinishedLogin<Scopes extends string = Scope, Id extends AccountId = AccountId> =
  | { readonly outcome: 'issued'; readonly tokens: IssuedTokens<Scopes, Id> }
  | ChallengedLogin;

/**
 * The common last steps of all logins: checks the requested account and scopes, and begins a session, or a challenge if
 * the user has a second factor that `amr` does not prove. Emits `login.succeeded` or `challenge.created`; the
 * caller emits `login.failed`.
 *
 * @throws {AuthError} `temporarily_unavailable`, `server_error`
 */
export type FinishLogin = (login: AuthenticatedLogin) => Promise<FinishedLogin | RejectedLogin>;

export interface FinishLoginDeps extends StartChallengeDeps, StartSessionDeps {
  readonly claimsOfHost: ClaimsOfHost;
  readonly tokenFits: TokenFits;
  readonly issueTokens: IssueTokens;
}

export function createFinishLogin(deps: FinishLoginDeps): FinishLogin {
  const { policy, clock, emit } = deps;
  const startSession = createStartSession(deps);
  const startChallenge = createStartChallenge(deps);

  return async (login) => {
    const denial = denialOf(login);
    if (denial !== null) return { outcome: 'rejected', reason: denial };
    const { user, start, amr, accountId, scopes, client } = login;
    const { authTimeMs } = start;
    // Checked before anything is stored: a session without tokens would only count against the user's limit.
    const claims = await deps.claimsOfHost(user, { accountId, scopes, authTimeMs });
    if (!fits(login, amr, claims)) return { outcome: 'rejected', reason: 'too_many_accounts' };
    const grant = { userId: user.id, scopes, accountId, amr, authTimeMs };
    const started = await startSession(
      user,
      // The spread comes last, because V8 is slow at adding properties after one.
      { loginAgeMs: msSince(start, clock), ...newSession(grant, client, policy) },
      { maxPerUser: policy.session.maxPerUser },
    );
    switch (started.outcome) {
      case 'created':
        return { outcome: 'issued', tokens: issueTokens(login, started.session, claims) };
      case 'stale_login':
        return { outcome: 'rejected', reason: 'revoked_meanwhile' };
      case 'has_factor':
        // The token that follows the challenge has one more method, and must fit too.
        if (!fits(login, [...amr, CODE_METHOD], claims))
          return { outcome: 'rejected', reason: 'too_many_accounts' };
        return startChallenge(login, started.factor);
    }
  };

  /**
   * Whether the token fits.
   *
   * @throws {AuthError} `server_error` if no request of the client could get one that fits
   */
  function fits(login: AuthenticatedLogin, amr: readonly string[], claims: HostClaims): boolean {
    const { user, start, scopes, accountId, maxTokenChars } = login;
    const { authTimeMs } = start;
    if (deps.tokenFits({ user, scopes, accountId, amr, authTimeMs, claims, maxTokenChars }))
      return true;
    assertHasSeveralAccounts(accountId, user);
    return false;
  }

  function issueTokens(
    { user, actor, accountId, scopes, expirationSeconds, client }: AuthenticatedLogin,
    session: SessionRecord,
    claims: HostClaims,
  ): IssuedTokens {
    emit({
      type: 'login.succeeded',
      userId: session.userId,
      sessionId: session.sessionId,
      accountId,
      scopes,
      amr: session.amr,
      actor,
      ...client,
    });
    return deps.issueTokens({
      user,
      session,
      nowMs: session.createdAtMs,
      scopes,
      accountId,
      claims,
      expirationSeconds,
    });
  }
}

function denialOf({
  user,
  accountId,
  scopes,
}: LoginTerms & Pick<AuthenticatedLogin, 'user'>): Denial | null {
  if (!isMember(user, accountId)) return 'account_denied';
  return isEntitled(user, scopes) ? null : 'scope_denied';
}
