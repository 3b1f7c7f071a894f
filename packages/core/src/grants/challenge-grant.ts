import { AuthError } from '../errors.ts';
import { type ChallengeCode, getCode } from '../mfa/challenge-code.ts';
import type { ChallengeTokens } from '../mfa/challenge-token.ts';
import { verifyTotp } from '../mfa/totp.ts';
import type { FactorOf, UserFactor } from '../mfa/user-factor.ts';
import type { Policy } from '../policy.ts';
import type { ChallengeFailureReason } from '../ports/events/factor-security-event.ts';
import type { Origin } from '../ports/events/origin.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Scope } from '../scope.ts';
import { newSession } from '../sessions/new-session.ts';
import type {
  ChallengeContext,
  ChallengeRef,
  ChallengeStore,
  ReserveOutcome,
} from '../storage/challenge-store.ts';
import type { SessionRecord } from '../storage/session-store.ts';
import { secondsToWait } from '../throttle/seconds-to-wait.ts';
import { denied, isEntitled } from '../users/entitlement.ts';
import { accessOf, standingOf } from '../users/standing.ts';
import type { User, UserDirectory } from '../users/users.ts';
import type { IssuedTokens, IssueTokens } from './issue-tokens.ts';

export interface ChallengeGrantRequest {
  readonly challenge: string;
  readonly code: string | number;
  readonly scopes: readonly Scope[];
  readonly expirationSeconds: number | undefined;
  readonly origin: Origin;
}

export interface ChallengeGrantResult {
  readonly tokens: IssuedTokens;
  /** As the login asked for it. */
  readonly version: ChallengeContext['version'];
}

export type ChallengeGrant = (request: ChallengeGrantRequest) => Promise<ChallengeGrantResult>;

export interface ChallengeGrantDeps {
  readonly users: Pick<UserDirectory, 'findById'>;
  readonly factorOf: FactorOf;
  readonly challenges: Pick<ChallengeStore, 'reserveAttempt' | 'complete'>;
  readonly challengeTokens: ChallengeTokens;
  readonly issueTokens: IssueTokens;
  readonly policy: Policy;
  readonly emit: (event: SecurityEvent) => void;
}

type Reserved = Extract<ReserveOutcome, { outcome: 'reserved' }>;

/** Who has been challenged, and the factor to answer with. */
interface Challenged {
  readonly user: User;
  readonly factor: UserFactor;
}

/** Whether a code is right. */
type CodeVerdict =
  /** `totpStep`: `null` for a recovery code. */
  | { readonly outcome: 'right'; readonly totpStep: number | null; readonly amr: readonly string[] }
  | { readonly outcome: 'wrong_code' | 'step_used' };

type Proof = Extract<CodeVerdict, { outcome: 'right' }>;

/**
 * Completes a login by a code of the second factor.
 *
 * Atomicity: one trip consumes a recovery code, and the next completes the challenge. If the latter fails, or answers
 * `gone` (completed by somebody else meanwhile, expired or revoked), the login is refused and the code is spent all the
 * same; the other order would accept a code that was used before. A code of the app is taken with the challenge, or not
 * at all.
 *
 * Security: the attempt is counted before the code is looked at, so that neither a crash nor a hundred parallel guesses
 * get a free one. What needs neither the code nor the stored challenge is checked before, and costs no attempt.
 */
export function createChallengeGrant(deps: ChallengeGrantDeps): ChallengeGrant {
  const { users, challenges, policy, emit } = deps;

  return async (request) => {
    const { origin, scopes } = request;
    const code = getCode(request.code, ['totp', 'recovery']);
    const ref = deps.challengeTokens.open(request.challenge);
    if (ref === null) throw refusal();
    const { user, factor } = await loadChallenged(ref, origin);
    if (!isEntitled(user, scopes)) {
      throw emittedRefusal(ref.userId, 'scope_denied', origin, denied('scope_denied'));
    }
    const reserved = await reserveAttempt(ref, origin);
    assertCurrent(user, reserved.context, origin);
    const verdict = await checkCode(factor, code, reserved);
    if (verdict.outcome !== 'right')
      throw emittedWrongCode(user, reserved, verdict.outcome, origin);
    const session = await completeLogin(user, ref, reserved, verdict, request);
    const tokens = deps.issueTokens({
      user,
      session,
      nowMs: session.createdAtMs,
      scopes,
      accountId: session.accountId,
      expirationSeconds: request.expirationSeconds,
    });
    return { tokens, version: reserved.context.version };
  };

  async function loadChallenged({ userId }: ChallengeRef, origin: Origin): Promise<Challenged> {
    // `null`: only the reservation tells which account the login is for.
    const access = accessOf(await users.findById(userId), null);
    if (access.outcome !== 'good') throw emittedRefusal(userId, access.outcome, origin);
    const { user } = access;
    const factor = await deps.factorOf(user);
    if (factor === null) throw emittedRefusal(userId, 'factor_gone', origin);
    return { user, factor };
  }

  async function reserveAttempt(ref: ChallengeRef, origin: Origin): Promise<Reserved> {
    const result = await challenges.reserveAttempt(ref, policy.attempts);
    switch (result.outcome) {
      case 'reserved':
        return result;
      case 'locked': {
        const { suspended, retryAfterMs } = result;
        const retryAfterSeconds = secondsToWait(retryAfterMs);
        const { userId } = ref;
        emit({ type: 'factor.refused', userId, retryAfterSeconds, suspended, ...origin });
        throw new AuthError('too_many_requests', 'Too many wrong codes; try again later.', {
          retryAfterSeconds,
        });
      }
      case 'gone':
        throw emittedRefusal(ref.userId, 'gone', origin);
    }
  }

  /** Since the login began, its password may have been changed, or its user may have left the account. */
  function assertCurrent(user: User, context: ChallengeContext, origin: Origin): void {
    const { outcome } = standingOf(user, context);
    if (outcome === 'good') return;
    const error = outcome === 'membership_lost' ? denied('account_denied') : refusal();
    throw emittedRefusal(user.id, outcome, origin, error);
  }

  async function completeLogin(
    user: User,
    ref: ChallengeRef,
    reserved: Reserved,
    { totpStep, amr }: Proof,
    { scopes, origin }: ChallengeGrantRequest,
  ): Promise<SessionRecord> {
    const { accountId, authTimeMs } = reserved.context;
    const grant = { userId: user.id, scopes, accountId, amr, authTimeMs };
    const result = await challenges.complete({
      ...ref,
      totpStep,
      session: newSession(grant, origin, policy),
      maxSessionsPerUser: policy.session.maxPerUser,
    });
    switch (result.outcome) {
      case 'completed': {
        const { userId, sessionId } = result.session;
        emit({ type: 'login.succeeded', userId, sessionId, accountId, scopes, amr, ...origin });
        return result.session;
      }
      case 'step_used':
        throw emittedWrongCode(user, reserved, 'step_used', origin);
      case 'gone':
        throw emittedRefusal(user.id, 'gone', origin);
    }
  }

  function emittedWrongCode(
    { id: userId }: User,
    { attemptsRemaining, lockedUntilMs }: Reserved,
    reason: 'wrong_code' | 'step_used',
    origin: Origin,
  ): AuthError {
    emit({ type: 'challenge.failed', userId, reason, attemptsRemaining, ...origin });
    if (lockedUntilMs !== null) {
      emit({ type: 'factor.locked', userId, untilMs: lockedUntilMs, ...origin });
    }
    return new AuthError('invalid_grant', 'The code is wrong.', { attemptsRemaining });
  }

  /** The refusal, emitted, of a challenge that fails for another reason than a wrong code. */
  function emittedRefusal(
    userId: string,
    reason: ChallengeFailureReason,
    origin: Origin,
    error: AuthError = refusal(),
  ): AuthError {
    emit({ type: 'challenge.failed', userId, reason, attemptsRemaining: null, ...origin });
    return error;
  }
}

/** Consumes a recovery code that is right; a code of the app is only used up when the login is completed. */
async function checkCode(
  factor: UserFactor,
  code: ChallengeCode,
  { nowMs }: Reserved,
): Promise<CodeVerdict> {
  if (code.kind === 'recovery') {
    const consumed = (await factor.consumeRecoveryCode?.(code.code)) ?? false;
    return consumed
      ? { outcome: 'right', totpStep: null, amr: ['pwd', 'mfa'] }
      : { outcome: 'wrong_code' };
  }
  const verified = await verifyTotp(factor.totpSecret, code.digits, nowMs);
  if (verified.outcome === 'wrong') return { outcome: 'wrong_code' };
  if (verified.step <= factor.usedUpToStep) return { outcome: 'step_used' };
  return { outcome: 'right', totpStep: verified.step, amr: ['pwd', 'otp'] };
}

/** One answer for a challenge that is unknown, expired, used or exhausted. */
function refusal(): AuthError {
  return new AuthError('invalid_grant', 'The challenge is not valid.');
}
