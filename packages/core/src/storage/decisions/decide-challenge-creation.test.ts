import { expect, it } from 'vitest';
import { decideChallengeCreation } from './decide-challenge-creation.ts';
import { challengeState } from './states.test.support.ts';

it('the challenge of a login begins without attempts, as a copy without unknown fields', () => {
  const context = { ...challengeState().context, surplus: 1 };
  const request = { userId: 'ada', challengeId: 'c1', context, ttlMs: 1_000, loginAgeMs: 20 };
  const stored = { challenge: undefined, revokedAllAtMs: undefined };
  const decision = decideChallengeCreation(stored, request, 200);
  expect(decision).toEqual({
    outcome: { outcome: 'created' },
    change: challengeState({ expiresAtMs: 1_200 }),
  });
  expect(decision.change?.context.amr).not.toBe(context.amr);
});
