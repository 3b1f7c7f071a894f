import type { ClientInfo } from '../client-info/client-info.ts';
import { parseCode } from '../mfa/challenge-code.ts';
import type { ChallengeTokens, LoginOfChallenge } from '../mfa/challenge-token.ts';
import { type CodeCheck, checkCode } from '../mfa/check-code.ts';
import type { FactorOf, UserFactor } from '../mfa/user-factor.ts';
import type { Policy } from '../policy.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Scope } from '../scopes/scope.ts';
import { newSession } from '../sessions/new-session.ts';
import type {
  ChallengeContext,
  ChallengeRef,
  ChallengeStore,
  ReserveOutcome,
} from '../storage/challenge-store.ts';
import type { SessionRecord } from '../storage/session-store.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import { accessOf, denied, isEntitled, userStatusOf } from '../users/entitlement.ts';
import type { AnyUser, AnyUserStore } from '../users/users.ts';
import { CODE_METHOD } from './authentication-methods.ts';
import { challengeFailures, invalidChallenge } from './challenge-failures.ts';
import type { ClaimsOfHost, IssuedTokens, IssueTokens } from './issue-tokens.ts';
import { assertHasSeveralAccounts, type TokenFits } from './token-fits.ts';

export interface ChallengeGrantRequest {
  readonly challenge: string;
  readonly code: string | number;
  readonly scopes: readonly Scope[];
  readonly expirationSeconds: number | undefined;
  readonly client: ClientInfo;
  /** The longest access token that the client can store, in characters. Default: `ACCESS_TOKEN_MAX_LENGTH`. */
  readonly maxTokenChars?: number | undefined;
}

export interface ChallengeGrantResult {
  readonly tokens: IssuedTokens;
  /** The API version that the login requested. */
  readonly version: ChallengeContext['version'];
}

export type ChallengeGrant = (request: ChallengeGrantRequest) => Promise<ChallengeGrantResult>;

export interface ChallengeGrantDeps {
  readonly users: Pick<AnyUserStore, 'findById'>;
  readonly factorOf: FactorOf;
  readonly challenges: Pick<ChallengeStore, 'reserveAttempt' | 'complete'>;
  readonly challengeTokens: ChallengeTokens;
  readonly claimsOfHost: ClaimsOfHost;
  readonly tokenFits: TokenFits;
  readonly issueTokens: IssueTokens;
  readonly policy: Policy;
  readonly emit: (event: SecurityEvent) => void;
}

type Reserved = Extract<ReserveOutcome, { outcome: 'reserved' }>;

/** The user of a challenge, and the factor that the answer must prove. */
interface ChallengedUser {
  readonly user: AnyUser;
  readonly factor: UserFactor;
}

/** A login whose code is right. */
interface ProvenLogin {
  readonly user: AnyUser;
  readonly ref: ChallengeRef;
  readonly attempt: Reserved;
  readonly proof: Extract<CodeCheck, { outcome: 'right' }>;
  readonly request: ChallengeGrantRequest;
}

/**
 * Completes a login by a code of the second factor.
 *
 * Atomicity: one storage call consumes a recovery code, and the next completes the challenge. If the second call fails,
 * or returns `gone` (the challenge has expired, was revoked or was completed by another request), the login is rejected
 * although the code is spent; the reverse order would accept a spent code. A TOTP code is consumed by the call that
 * completes the challenge.
 *
 * Security: the attempt is counted before the code is checked, so that neither a crash nor a hundred parallel requests
 * get a free guess. Checks that need neither the code nor the stored challenge come first and cost no attempt: an app
 * whose `accessTokenClaims` fails locks nobody out. The check whether the token can name all accounts needs the stored
 * challenge, so a user who has got too many accounts since the login began loses an attempt.
 */
export function createChallengeGrant(deps: ChallengeGrantDeps): ChallengeGrant {
  const { users, challenges, policy, emit } = deps;
  const fail = challengeFailures(emit);

  return async (request) => {
    const { client, scopes } = request;
    const code = parseCode(request.code, ['totp', 'recovery']);
    const verified = deps.challengeTokens.verify(request.challenge);
    if (verified === null) throw invalidChallenge();
    const { ref, login } = verified;
    const { user, factor } = await loadChallengedUser(ref, client);
    assertEntitled(user, ref, request);
    // If the app adds claims, the challenge token has the login, so they can be obtained before an attempt is counted.
    if (login) assertCurrent(user, login, client);
    const earlyClaims = login && (await deps.claimsOfHost(user, { scopes, ...login }));
    const attempt = await reserveAttempt(ref, client);
    assertCurrent(user, attempt.context, client);
    const claims = earlyClaims ?? (await deps.claimsOfHost(user, { scopes, ...attempt.context }));
    assertTokenFits(user, attempt.context, { claims, ...request });
    const check = await checkCode(factor, code, attempt.nowMs).catch((error: unknown) => {
      fail.emitLock({ userId: user.id, client }, attempt);
      throw error;
    });
    if (check.outcome !== 'right') {
      throw fail.wrongCode({ userId: user.id, client }, check.outcome, attempt);
    }
    const session = await completeLogin({ user, ref, attempt, proof: check, request });
    const tokens = deps.issueTokens({
      user,
      session,
      nowMs: session.createdAtMs,
      scopes,
      accountId: session.accountId,
      claims,
      expirationSeconds: request.expirationSeconds,
    });
    return { tokens, version: attempt.context.version };
  };

  async function loadChallengedUser(
    { userId }: ChallengeRef,
    client: ClientInfo,
  ): Promise<ChallengedUser> {
    // `null`: the account is checked after the reservation, which returns the stored context.
    const access = accessOf(await users.findById(userId), null);
    if (access.outcome !== 'good') throw fail.rejected({ userId, client }, access.outcome);
    const { user } = access;
    const factor = await deps.factorOf(user);
    if (factor === null) throw fail.rejected({ userId, client }, 'factor_gone');
    return { user, factor };
  }

  function assertEntitled(
    user: AnyUser,
    { userId }: ChallengeRef,
    { scopes, client }: ChallengeGrantRequest,
  ): void {
    if (isEntitled(user, scopes)) return;
    throw fail.rejected({ userId, client }, 'scope_denied', denied('scope_denied'));
  }

  async function reserveAttempt(ref: ChallengeRef, client: ClientInfo): Promise<Reserved> {
    const { userId } = ref;
    const result = await challenges.reserveAttempt(ref, policy.attempts);
    switch (result.outcome) {
      case 'reserved':
        return result;
      case 'locked':
        throw fail.locked({ userId, client }, result);
      case 'gone':
        throw fail.rejected({ userId, client }, 'gone');
    }
  }

  /** After the login began, the password may have been changed, or the user may have lost the account. */
  function assertCurrent(user: AnyUser, context: LoginOfChallenge, client: ClientInfo): void {
    const { outcome } = userStatusOf(user, context);
    if (outcome === 'good') return;
    const error = outcome === 'membership_lost' ? denied('account_denied') : invalidChallenge();
    throw fail.rejected({ userId: user.id, client }, outcome, error);
  }

  /** After the login began, the user may have got more accounts. */
  function assertTokenFits(
    user: AnyUser,
    context: ChallengeContext,
    {
      scopes,
      client,
      maxTokenChars,
      claims,
    }: ChallengeGrantRequest & { readonly claims: HostClaims },
  ): void {
    const { accountId, authTimeMs } = context;
    const amr = [...context.amr, CODE_METHOD];
    const content = { user, scopes, accountId, amr, authTimeMs, claims, maxTokenChars };
    if (deps.tokenFits(content)) return;
    assertHasSeveralAccounts(accountId, user);
    const reason = 'too_many_accounts';
    throw fail.rejected({ userId: user.id, client }, reason, denied(reason));
  }

  async function completeLogin(login: ProvenLogin): Promise<SessionRecord> {
    const { user, ref, attempt, proof, request } = login;
    const { scopes, client } = request;
    const { accountId, authTimeMs, actor } = attempt.context;
    const { totpStep, method } = proof;
    const amr = [...attempt.context.amr, method];
    const grant = { userId: user.id, scopes, accountId, amr, authTimeMs };
    const result = await challenges.complete({
      totpStep,
      session: newSession(grant, client, policy),
      maxSessionsPerUser: policy.session.maxPerUser,
      ...ref,
    });
    switch (result.outcome) {
      case 'completed': {
        const { userId, sessionId } = result.session;
        emit({
          type: 'login.succeeded',
          userId,
          sessionId,
          accountId,
          scopes,
          amr,
          actor,
          ...client,
        });
        return result.session;
      }
      case 'step_used':
        throw fail.wrongCode({ userId: user.id, client }, 'step_used', attempt);
      case 'gone':
        throw fail.rejected({ userId: user.id, client }, 'gone');
    }
  }
}
