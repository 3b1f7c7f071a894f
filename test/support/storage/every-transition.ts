import type { Storage } from '@latchhook/core/storage';
import type { TurnableClock } from '@latchhook/testkit';
import {
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  completeRequest,
  newChallenge,
  newSession,
  rotateRequest,
} from './login-samples.ts';

/**
 * Runs every transition of a storage for one user, and leaves a record of each kind.
 *
 * @param clock - the clock of the storage
 */
export async function everyTransition(
  { sessions, challenges, limiters }: Storage,
  clock: TurnableClock,
  userId: string,
) {
  const session = newSession('s1', { userId });
  await sessions.create(session, AMPLE_LIMITS);
  await sessions.create(newSession('s2', { userId }), AMPLE_LIMITS);
  await sessions.revokeAll(userId);
  await sessions.revokeOthers(session);
  // In the millisecond of `revokeAll`: it cannot be told whether these logins began before it.
  const staleLogins = [
    await sessions.create(newSession('s0', { userId }), AMPLE_LIMITS),
    await challenges.create(newChallenge('c0', userId)),
  ];
  clock.advance(1);
  await sessions.create(newSession('s3', { userId }), AMPLE_LIMITS);
  await sessions.create(newSession('s4', { userId }), AMPLE_LIMITS);
  // The third session of two: ends s3, the oldest.
  await sessions.create(newSession('s5', { userId }), { maxPerUser: 2 });
  await sessions.revoke({ userId, sessionId: 's4' });
  // In the order of EXPECTED_RESULTS. The reuse ends s5.
  const outcomes = [
    await sessions.rotate(rotateRequest(1, { userId, sessionId: 's5' })),
    await sessions.rotate(rotateRequest(1, { userId, sessionId: 's5' })),
    await sessions.rotate(rotateRequest(9, { userId, sessionId: 's5' })),
    await sessions.rotate(rotateRequest(1, { userId, sessionId: 's5' })),
    await sessions.rotate(rotateRequest(1, { userId, sessionId: 's3' })),
  ];
  await challenges.create(newChallenge('c1', userId));
  await challenges.create(newChallenge('c2', userId));
  const attempt = await challenges.reserveAttempt(newChallenge('c1', userId), ATTEMPT_LIMITS);
  const completed = await challenges.complete(completeRequest('c1', 's6', { userId }));
  // This attempt suspends the factor; the one after the unlock locks it.
  await challenges.reserveAttempt(newChallenge('c2', userId), {
    ...ATTEMPT_LIMITS,
    suspendAfter: 1,
  });
  await challenges.unlock(userId);
  await challenges.reserveAttempt(newChallenge('c2', userId), { ...ATTEMPT_LIMITS, perUser: 1 });
  const limiter = limiters?.({ keyPrefix: 'failures', duration: 60 });
  await limiter?.penalty(userId);
  await limiter?.penaltyWithLock(userId, { keyPrefix: 'locks', every: 2, seconds: [60] });
  await limiter?.block(`${userId}-blocked`, 60);
  const [counter, lock] = (await limiter?.get(userId, ['locks'])) ?? [];
  return {
    outcomes: [...staleLogins, ...outcomes, attempt, completed].map(({ outcome }) => outcome),
    counted: counter?.consumedPoints,
    locks: lock?.consumedPoints,
    deleted: await limiter?.delete(userId),
    live: (await sessions.list(userId)).map(({ sessionId }) => sessionId),
    isLive: await sessions.isLive({ userId, sessionId: 's6' }),
  };
}

/** The results of {@link everyTransition}. */
export const EXPECTED_RESULTS = {
  outcomes: [
    'stale_login',
    'stale_login',
    'rotated',
    'replayed',
    'rolled_forward',
    'reused',
    'revoked',
    'reserved',
    'completed',
  ],
  counted: 2,
  locks: 1,
  deleted: true,
  live: ['s6'],
  isLive: true,
};
