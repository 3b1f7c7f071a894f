import type {
  ChallengeRef,
  ChallengeStore,
  CodeAttemptLimits,
  ReserveOutcome,
} from '@latchhook/core/storage';
import { ADA, ATTEMPT_LIMITS, newChallenge } from '../samples/login-samples.ts';

/** Creates a challenge and reserves an attempt at it, like a user who logs in again for each attempt. */
export async function attemptAtNewChallenge(
  challenges: ChallengeStore,
  challengeId: string,
  { userId = ADA, limits = ATTEMPT_LIMITS }: { userId?: string; limits?: CodeAttemptLimits } = {},
): Promise<ReserveOutcome> {
  const challenge = newChallenge(challengeId, { userId });
  await challenges.create(challenge);
  return challenges.reserveAttempt(challenge, limits);
}

/** Reserves `count` attempts at one challenge, one after the other. */
export async function attemptRepeatedly(
  challenges: ChallengeStore,
  challenge: ChallengeRef,
  count: number,
  limits: CodeAttemptLimits = ATTEMPT_LIMITS,
): Promise<ReserveOutcome[]> {
  const results: ReserveOutcome[] = [];
  while (results.length < count) results.push(await challenges.reserveAttempt(challenge, limits));
  return results;
}
