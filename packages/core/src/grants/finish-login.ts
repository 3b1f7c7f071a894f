import type { AccountId } from '../account-id.ts';
import { wasBySecondFactor } from '../mfa/check-second-factor.ts';
import type { FactorOf } from '../mfa/user-factor.ts';
import type { Scope } from '../scopes/scope.ts';
import { newSession } from '../sessions/new-session.ts';
import type { SessionStore } from '../storage/session-store.ts';
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

export interface FinishLoginDeps extends StartChallengeDeps {
  readonly factorOf: FactorOf;
  readonly sessions: Pick<SessionStore, 'create'>;
  readonly claimsOfHost: ClaimsOfHost;
  readonly tokenFits: TokenFits;
  readonly issueTokens: IssueTokens;
}

export function createFinishLogin(deps: FinishLoginDeps): FinishLogin {
  const { factorOf, sessions, tokenFits, policy, clock, emit } = deps;
  const startChallenge = createStartChallenge(deps);

  return async (login) => {
    const denial = denialOf(login);
    if (denial !== null) return { outcome: 'rejected', reason: denial };
    const factor = wasBySecondFactor(login.amr) ? null : await factorOf(login.user);
    // As in the token that a completed challenge gives. It only counts for the length of the token.
    const amrOfToken = factor === null ? login.amr : [...login.amr, CODE_METHOD];
    const { accountId, scopes, start } = login;
    const { authTimeMs } = start;
    // Checked before anything is stored: a session without tokens would only count against the user's limit.
    const claims = await deps.claimsOfHost(login.user, { accountId, scopes, authTimeMs });
    if (!tokenFits({ ...login, amr: amrOfToken, authTimeMs, claims })) {
      assertHasSeveralAccounts(accountId, login.user);
      return { outcome: 'rejected', reason: 'too_many_accounts' };
    }
    return factor === null ? beginSession(login, claims) : startChallenge(login, factor);
  };

  async function beginSession(
    login: AuthenticatedLogin,
    claims: HostClaims,
  ): Promise<FinishedLogin | RejectedLogin> {
    const { user, start, amr, actor, accountId, scopes, expirationSeconds, client } = login;
    const { maxPerUser } = policy.session;
    const { authTimeMs } = start;
    const grant = { userId: user.id, scopes, accountId, amr, authTimeMs };
    const result = await sessions.create(
      // The spread comes last, because a property after a spread takes V8 many times as long.
      { authenticationMs: msSince(start, clock), ...newSession(grant, client, policy) },
      { maxPerUser },
    );
    if (result.outcome === 'stale_login')
      return { outcome: 'rejected', reason: 'revoked_meanwhile' };
    const { session } = result;
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
    const tokens = deps.issueTokens({
      user,
      session,
      nowMs: session.createdAtMs,
      scopes,
      accountId,
      claims,
      expirationSeconds,
    });
    return { outcome: 'issued', tokens };
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
