import type { ClientInfo } from '../client-info/client-info.ts';
import { AuthError } from '../errors.ts';
import type { ChallengeFailureReason } from '../ports/events/factor-security-event.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ReserveOutcome } from '../storage/challenge-store.ts';
import { secondsToWait } from '../throttle/seconds-to-wait.ts';

/** The answer to a challenge: its user, and the client that sent it. */
export interface ChallengeAnswer {
  readonly userId: string;
  readonly client: ClientInfo;
}

type Reserved = Extract<ReserveOutcome, { outcome: 'reserved' }>;
type Locked = Extract<ReserveOutcome, { outcome: 'locked' }>;

/** The ways in which the answer to a challenge fails. Most methods emit the failure and return the error to throw. */
export interface ChallengeFailures {
  /** For all reasons except a wrong code. `error` defaults to {@link invalidChallenge}. */
  rejected(answer: ChallengeAnswer, reason: ChallengeFailureReason, error?: AuthError): AuthError;
  wrongCode(
    answer: ChallengeAnswer,
    reason: 'wrong_code' | 'step_used',
    attempt: Pick<Reserved, 'attemptsRemaining' | 'lockedUntilMs'>,
  ): AuthError;
  /** Emits `factor.locked` if the attempt has locked the factor, even if its code could not be checked. */
  emitLock(answer: ChallengeAnswer, attempt: Pick<Reserved, 'lockedUntilMs'>): void;
  /** The factor is locked, so the code was not checked. */
  locked(answer: ChallengeAnswer, lock: Pick<Locked, 'suspended' | 'retryAfterMs'>): AuthError;
}

export function challengeFailures(emit: (event: SecurityEvent) => void): ChallengeFailures {
  function emitLock(
    { userId, client }: ChallengeAnswer,
    { lockedUntilMs }: Pick<Reserved, 'lockedUntilMs'>,
  ): void {
    if (lockedUntilMs === null) return;
    emit({ type: 'factor.locked', userId, untilMs: lockedUntilMs, ...client });
  }

  return {
    rejected({ userId, client }, reason, error = invalidChallenge()) {
      emit({ type: 'challenge.failed', userId, reason, attemptsRemaining: null, ...client });
      return error;
    },
    wrongCode(answer, reason, attempt) {
      const { userId, client } = answer;
      const { attemptsRemaining } = attempt;
      emit({ type: 'challenge.failed', userId, reason, attemptsRemaining, ...client });
      emitLock(answer, attempt);
      return new AuthError('invalid_grant', 'The code is wrong.', { attemptsRemaining });
    },
    emitLock,
    locked({ userId, client }, { suspended, retryAfterMs }) {
      const retryAfterSeconds = secondsToWait(retryAfterMs);
      emit({ type: 'factor.rejected', userId, retryAfterSeconds, suspended, ...client });
      return new AuthError('too_many_requests', 'Too many wrong codes; try again later.', {
        retryAfterSeconds,
      });
    },
  };
}

/** The same error for a challenge that is unknown, expired, used, or out of attempts. */
export function invalidChallenge(): AuthError {
  return new AuthError('invalid_grant', 'The challenge is not valid.');
}
