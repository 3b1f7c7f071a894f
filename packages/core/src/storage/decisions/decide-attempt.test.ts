import { expect, it } from 'vitest';
import type { ChallengeState } from './challenge-state.ts';
import { decideAttempt } from './decide-attempt.ts';
import { challengeState } from './states.test.support.ts';

const limits = { perChallenge: 5, perUser: 3, lockMs: 100, maxLockMs: 300, suspendAfter: 12 };
const NOW_MS = 500;

it.each<[string, ChallengeState | undefined]>([
  ['unknown', undefined],
  ['expired', challengeState({ expiresAtMs: NOW_MS })],
  ['ended', challengeState({ isEnded: true })],
  ['completed', challengeState({ completedBy: 's1' })],
  ['exhausted', challengeState({ attempts: limits.perChallenge })],
])('an attempt at an MFA challenge that is %s is rejected', (_, challenge) => {
  const decision = decideAttempt({ challenge, factorLock: undefined }, limits, NOW_MS);
  expect(decision).toEqual({ outcome: { outcome: 'gone' }, change: null });
});
