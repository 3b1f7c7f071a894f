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
  ttlMs: 1_000,
  authenticationMs: 20,
};

const NOW_MS = 200;
const BEGAN_AT_MS = NOW_MS - request.authenticationMs;

const create = (revokedAllAtMs?: number, challenge?: ChallengeState) =>
  decideChallengeCreation({ challenge, revokedAllAtMs }, request, NOW_MS);

describe('the challenge of a login', () => {
  it('begins without attempts, as a copy without unknown fields', () => {
    const decision = create();
    expect(decision).toEqual({
      outcome: { outcome: 'created' },
      change: challengeState({ expiresAtMs: NOW_MS + request.ttlMs }),
    });
    expect(decision.change?.context.amr).not.toBe(context.amr);
  });

  it('is rejected as stale_login if all sessions were revoked since the login began', () => {
    expect(create(BEGAN_AT_MS)).toEqual({ outcome: { outcome: 'stale_login' }, change: null });
    expect(create(BEGAN_AT_MS - 1).outcome).toEqual({ outcome: 'created' });
  });

  it('is unchanged if it already exists', () => {
    const existing = challengeState({ attempts: 4 });
    expect(create(undefined, existing)).toEqual({ outcome: { outcome: 'created' }, change: null });
  });
});
