import type { ClientInfo } from '../client-info/client-info.ts';
import { getCode } from '../mfa/challenge-code.ts';
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
import { denied, isEntitled } from '../users/entitlement.ts';
import { accessOf, userStatusOf } from '../users/user-status.ts';
import type { AnyUser, AnyUserStore } from '../users/users.ts';
import { CODE_METHOD } from './authentication-methods.ts';
import { challengeFailures, invalidChallenge } from './challenge-failures.ts';
import type { ClaimsOfHost } from './claims-of-host.ts';
import type { IssuedTokens, IssueTokens } from './issue-tokens.ts';
import { reasonOfMisfit, type TokenFits } from './token-fits.ts';

export interface ChallengeGrantRequest {
  readonly challenge: string;
  readonly code: string | number;
  readonly scopes: readonly Scope[];
  readonly expirationSeconds: number | undefined;
  readonly client: ClientInfo;
  /** The longest access token that the client can keep. Default: any that is accepted. */
  readonly maxTokenChars?: number | undefined;
}

export interface ChallengeGrantResult {
  readonly tokens: IssuedTokens;
  /** The version that the login asked for. */
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

/** Who has been challenged, and the factor to answer with. */
interface Challenged {
  readonly user: AnyUser;
  readonly factor: UserFactor;
}

/** A login whose code is right. */
interface ProvenLogin {
  readonly user: AnyUser;
  readonly ref: ChallengeRef;
  readonly reserved: Reserved;
  readonly proof: Extract<CodeCheck, { outcome: 'right' }>;
  readonly request: ChallengeGrantRequest;
}

/**
 * Completes a login by a code of the second factor.
 *
 * Atomicity: one storage call consumes a recovery code, and the next completes the challenge. If the latter fails, or
 * returns `gone` (completed by another request meanwhile, expired or revoked), the login is rejected and the code is
 * spent all the same; the other order would accept a code that was used before. A TOTP code is consumed with the
 * challenge, or not at all.
 *
 * Security: the attempt is counted before the code is checked, so that neither a crash nor a hundred parallel guesses
 * get a free one. Checks that need neither the code nor the stored challenge come first, and cost no attempt: an app
 * whose `accessTokenClaims` fails locks nobody out. Whether the token could name all accounts needs the challenge, so
 * that a user who has got too many since the login began loses an attempt.
 */
export function createChallengeGrant(deps: ChallengeGrantDeps): ChallengeGrant {
  const { users, challenges, policy, emit } = deps;
  const fail = challengeFailures(emit);

  return async (request) => {
    const { client, scopes } = request;
    const code = getCode(request.code, ['totp', 'recovery']);
    const named = deps.challengeTokens.verify(request.challenge);
    if (named === null) throw invalidChallenge();
    const { ref, login } = named;
    const { user, factor } = await loadChallenged(ref, client);
    assertEntitled(user, ref, request);
    if (login) assertCurrent(user, login, client);
    const early = login && (await deps.claimsOfHost(user, { ...login, scopes }));
    const reserved = await reserveAttempt(ref, client);
    assertCurrent(user, reserved.context, client);
    const claims = early ?? (await deps.claimsOfHost(user, { ...reserved.context, scopes }));
    assertTokenFits(user, reserved.context, { ...request, claims });
    const checked = await checkCode(factor, code, reserved.nowMs).catch((error: unknown) => {
      fail.unchecked({ userId: user.id, client }, reserved);
      throw error;
    });
    if (checked.outcome !== 'right') {
      throw fail.wrongCode({ userId: user.id, client }, checked.outcome, reserved);
    }
    const session = await completeLogin({ user, ref, reserved, proof: checked, request });
    const tokens = deps.issueTokens({
      user,
      session,
      nowMs: session.createdAtMs,
      scopes,
      accountId: session.accountId,
      claims,
      expirationSeconds: request.expirationSeconds,
    });
    return { tokens, version: reserved.context.version };
  };

  async function loadChallenged({ userId }: ChallengeRef, client: ClientInfo): Promise<Challenged> {
    // `null`: the account is checked after the reservation, by the context that the store returns.
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

  /** Since the login began, the password may have been changed, or the user may have lost the account. */
  function assertCurrent(user: AnyUser, context: LoginOfChallenge, client: ClientInfo): void {
    const { outcome } = userStatusOf(user, context);
    if (outcome === 'good') return;
    const error = outcome === 'membership_lost' ? denied('account_denied') : invalidChallenge();
    throw fail.rejected({ userId: user.id, client }, outcome, error);
  }

  /** The user may have got more accounts since the login began. */
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
    const reason = reasonOfMisfit(accountId);
    throw fail.rejected({ userId: user.id, client }, reason, denied(reason));
  }

  async function completeLogin(login: ProvenLogin): Promise<SessionRecord> {
    const { user, ref, reserved, proof, request } = login;
    const { scopes, client } = request;
    const { accountId, authTimeMs, actor } = reserved.context;
    const { totpStep, method } = proof;
    const amr = [...reserved.context.amr, method];
    const grant = { userId: user.id, scopes, accountId, amr, authTimeMs };
    const result = await challenges.complete({
      ...ref,
      totpStep,
      session: newSession(grant, client, policy),
      maxSessionsPerUser: policy.session.maxPerUser,
    });
    switch (result.outcome) {
      case 'completed': {
        const { userId, sessionId } = result.session;
        const login = { userId, sessionId, accountId, scopes, amr, actor };
        emit({ type: 'login.succeeded', ...login, ...client });
        return result.session;
      }
      case 'step_used':
        throw fail.wrongCode({ userId: user.id, client }, 'step_used', reserved);
      case 'gone':
        throw fail.rejected({ userId: user.id, client }, 'gone');
    }
  }
}
