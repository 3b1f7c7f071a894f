import { describe, expect, it } from 'vitest';
import type { NewChallenge } from '../challenge-store.ts';
import type { ChallengeState } from './challenge-state.ts';
import { decideChallengeCreation } from './decide-challenge-creation.ts';
import { challengeState } from './states.test.support.ts';

const context = { ...challengeState().context, surplus: 1 };
const request: NewChallenge = {
  userId: 'ada',
  challengeId: 'c1',
  context,
  ttlMs: 1000,
  authenticationMs: 20,
};

const create = (revokedAllAtMs?: number, challenge?: ChallengeState) =>
  decideChallengeCreation({ challenge, revokedAllAtMs }, request, 200);

describe('the challenge of a login', () => {
  it('begins without attempts, as a copy without unknown fields', () => {
    const begun = create();
    expect(begun).toEqual({
      answer: { outcome: 'created' },
      change: challengeState({ expiresAtMs: 1200 }),
    });
    expect(begun.change?.context.amr).not.toBe(context.amr);
  });

  it('is rejected as stale_login if all sessions were revoked since the login began', () => {
    expect(create(180)).toEqual({ answer: { outcome: 'stale_login' }, change: null });
    expect(create(179).answer).toEqual({ outcome: 'created' });
  });

  it('is unchanged if it already exists', () => {
    const known = challengeState({ attempts: 4 });
    expect(create(undefined, known)).toEqual({ answer: { outcome: 'created' }, change: null });
  });
});
