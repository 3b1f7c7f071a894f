import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../keys/secret-ring.ts';
import { createRefreshTokens } from '../sessions/refresh-token.ts';
import { createChallengeTokens } from './challenge-token.ts';

const ring = createSecretRing([Buffer.alloc(32, 1)]);
const challenges = createChallengeTokens(ring, true);
const ref = { challengeId: Buffer.alloc(16, 3).toString('base64url'), userId: 'grace' };
const authTimeMs = 1_700_000_000_000;
const login = { accountId: 7, authTimeMs };

describe('challenge tokens', () => {
  it.each([7, null, 'tenant-7'])(
    'verify to the challenge, user and account %j that they were signed for',
    (accountId) => {
      const token = challenges.sign(ref, { accountId, authTimeMs });
      expect(challenges.verify(token)).toEqual({ ref, login: { accountId, authTimeMs } });
    },
  );

  it('name no login for an app without claims, and verify in one with claims', () => {
    const plain = createChallengeTokens(ring, false).sign(ref, login);
    expect(challenges.verify(plain)).toEqual({ ref, login: null });
    expect(plain.length).toBeLessThan(challenges.sign(ref, login).length);
  });

  it('do not verify as refresh tokens of the same ring, nor vice versa', () => {
    const refresh = createRefreshTokens(ring);
    const challenge = challenges.sign(ref, login);
    expect(refresh.verify(challenge)).toBeNull();
    expect(refresh.verify(challenge.replace('lh_mc_', 'lh_rt_'))).toBeNull();
    const session = { userId: 'grace', sessionId: ref.challengeId, generation: 1, authTimeMs: 0 };
    const token = refresh.sign({ ...session, scopes: ['user'], accountId: null });
    expect(challenges.verify(token)).toBeNull();
    expect(challenges.verify(token.replace('lh_rt_', 'lh_mc_'))).toBeNull();
  });
});
