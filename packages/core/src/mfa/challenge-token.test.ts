import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../keys/secret-ring.ts';
import { createRefreshTokens } from '../sessions/refresh-token.ts';
import { createChallengeTokens } from './challenge-token.ts';

const ring = createSecretRing([Buffer.alloc(32, 1)]);
const tokens = createChallengeTokens(ring, true);
const ref = { challengeId: Buffer.alloc(16, 3).toString('base64url'), userId: 'grace' };
const authTimeMs = 1_700_000_000_000;
const login = { accountId: 7, authTimeMs };

describe('challenge tokens', () => {
  it.each([7, null, 'acme'])(
    'verify to the challenge, user and login that they were signed for, with account %j',
    (accountId) => {
      const token = tokens.sign(ref, { accountId, authTimeMs });
      expect(tokens.verify(token)).toEqual({ ref, login: { accountId, authTimeMs } });
    },
  );

  it('contain no login if the app had no claims when they were signed', () => {
    const shortToken = createChallengeTokens(ring, false).sign(ref, login);
    expect(tokens.verify(shortToken)).toEqual({ ref, login: null });
    expect(shortToken.length).toBeLessThan(tokens.sign(ref, login).length);
  });

  it('do not verify as refresh tokens of the same ring, nor vice versa', () => {
    const refresh = createRefreshTokens(ring);
    const challenge = tokens.sign(ref, login);
    expect(refresh.verify(challenge)).toBeNull();
    expect(refresh.verify(challenge.replace('lh_mc_', 'lh_rt_'))).toBeNull();
    const session = { userId: 'grace', sessionId: ref.challengeId, generation: 1, authTimeMs: 0 };
    const token = refresh.sign({ ...session, scopes: ['user'], accountId: null });
    expect(tokens.verify(token)).toBeNull();
    expect(tokens.verify(token.replace('lh_rt_', 'lh_mc_'))).toBeNull();
  });
});
