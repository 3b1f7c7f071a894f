import { describe, expect, it } from 'vitest';
import { generateSigningKey, type SigningAlgorithm } from '../keys/signing-key.ts';
import { createSigningKeys } from '../keys/signing-keys.ts';
import { clock, expected, identity, keys, NOW_MS } from './access-token-fixture.test.support.ts';
import { type AccessTokenSubject, createIssueAccessToken } from './issue-access-token.ts';
import { verifyAccessToken } from './verify-access-token.ts';

const subject: AccessTokenSubject = {
  userId: 'user-1',
  sessionId: 'session-1',
  scopes: ['user', 'admin'],
  accounts: [1, 2],
  accountId: 2,
  authTimeMs: NOW_MS - 60_000,
  amr: ['pwd', 'otp'],
  claims: { plan: 'pro', limits: { seats: [1, 2] } },
};

describe('an access token', () => {
  it.each<SigningAlgorithm>(['ES256', 'EdDSA', 'RS256'])(
    'signed with %s verifies to the content that was issued',
    async (alg) => {
      const ring = createSigningKeys([generateSigningKey(alg)], clock);
      const issue = createIssueAccessToken(ring, identity);
      const token = issue(subject, { nowMs: NOW_MS, lifetimeSeconds: 3600 });
      expect(await verifyAccessToken(token, { ...expected, keys: ring })).toEqual({
        outcome: 'valid',
        kid: ring.signingKey().kid,
        info: {
          credential: 'access_token',
          ...subject,
          clientId: 'latchhook',
          tokenId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          issuedAtMs: NOW_MS,
          expiresAtMs: NOW_MS + 3_600_000,
        },
      });
    },
  );

  it('has a unique jti, and no account_id if no account is bound', async () => {
    const issue = createIssueAccessToken(keys, identity);
    const life = { nowMs: NOW_MS, lifetimeSeconds: 600 };
    const tokens = [issue({ ...subject, accountId: null }, life), issue(subject, life)];
    const [unbound = '', bound = ''] = tokens;
    const claims = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims(unbound)).not.toHaveProperty('account_id');
    expect(claims(unbound).jti).not.toBe(claims(bound).jti);
  });

  it('is not issued if it would be too long to be accepted', () => {
    const accounts = Array.from({ length: 2000 }, (_, index) => 10_000 + index);
    const issue = createIssueAccessToken(keys, identity);
    expect(() => issue({ ...subject, accounts }, { nowMs: NOW_MS, lifetimeSeconds: 600 })).toThrow(
      'the user has 2000 accounts',
    );
  });
});
