import type {
  ChallengeRef,
  ChallengeStore,
  CodeAttemptLimits,
  ReserveOutcome,
} from '@latchhook/core/storage';
import { ADA, ATTEMPT_LIMITS, newChallenge } from '../samples/login-samples.ts';

/** An attempt at a new challenge, as by somebody who logs in again for each. */
export async function attemptAtNew(
  challenges: ChallengeStore,
  challengeId: string,
  { userId = ADA, limits = ATTEMPT_LIMITS }: { userId?: string; limits?: CodeAttemptLimits } = {},
): Promise<ReserveOutcome> {
  const challenge = newChallenge(challengeId, { userId });
  await challenges.create(challenge);
  return challenges.reserveAttempt(challenge, limits);
}

/** Makes `count` attempts at one challenge, one after the other. */
export async function attemptRepeatedly(
  challenges: ChallengeStore,
  challenge: ChallengeRef,
  count: number,
  limits: CodeAttemptLimits = ATTEMPT_LIMITS,
): Promise<ReserveOutcome[]> {
  const answers: ReserveOutcome[] = [];
  while (answers.length < count) answers.push(await challenges.reserveAttempt(challenge, limits));
  return answers;
}
