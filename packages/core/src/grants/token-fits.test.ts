import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateSigningKey, type SigningAlgorithm } from '../keys/signing-key.ts';
import { createSigningKeys } from '../keys/signing-keys.ts';
import { ACCESS_TOKEN_MAX_LENGTH } from '../tokens/access-token.ts';
import { clock, identity, NOW_MS } from '../tokens/access-token-fixture.test.support.ts';
import { NO_HOST_CLAIMS } from '../tokens/host-claims.ts';
import {
  type AccessTokenSubject,
  createIssueAccessToken,
  type TokenIdentity,
} from '../tokens/issue-access-token.ts';
import { assertHasSeveralAccounts, createTokenFits } from './token-fits.ts';

const subject: AccessTokenSubject = {
  userId: 'user-1',
  sessionId: 'AAAAAAAAAAAAAAAAAAAAAA',
  scopes: ['user'],
  accounts: [],
  accountId: null,
  authTimeMs: NOW_MS - 60_000,
  amr: ['pwd'],
  claims: NO_HOST_CLAIMS,
};

/** The maximum number of accounts with ids of `digits` digits that fit into a token, and the length of that token. */
function mostAccounts(
  alg: SigningAlgorithm,
  identityChanges: Partial<TokenIdentity>,
  content: Partial<AccessTokenSubject>,
  digits: number,
) {
  const keys = createSigningKeys([generateSigningKey(alg)], clock);
  const tokenIdentity = { ...identity, ...identityChanges };
  const issue = createIssueAccessToken(keys, tokenIdentity);
  const tokenFits = createTokenFits(keys, tokenIdentity, clock);
  const withAccounts = (count: number) => ({
    ...subject,
    ...content,
    accounts: Array.from({ length: count }, (_, i) => 10 ** (digits - 1) + i),
  });
  const fits = ({ userId: id, accounts, ...others }: AccessTokenSubject) =>
    tokenFits({ ...others, user: { id, accounts, passwordHash: null } });
  let count = 0;
  while (fits(withAccounts(count + 1))) count += 1;
  const life = { nowMs: NOW_MS, lifetimeSeconds: 3600 };
  expect(() => issue(withAccounts(count + 1), life)).toThrow(RangeError);
  return { count, length: issue(withAccounts(count), life).length };
}

describe('tokenFits', () => {
  it.each<[SigningAlgorithm, Partial<TokenIdentity>, Partial<AccessTokenSubject>]>([
    ['ES256', {}, {}],
    ['EdDSA', { issuer: `https://${'a'.repeat(200)}.example` }, { amr: ['pwd', 'otp'] }],
    ['RS256', { audience: 'ü'.repeat(300) }, { scopes: ['user', 'admin', 'internal', 'auth'] }],
    ['ES256', { clientId: '"\\'.repeat(100) }, { userId: '\u0001'.repeat(255) }],
    ['ES256', {}, { claims: { plan: 'ü'.repeat(100) } }],
  ])(
    'accepts the last account that fits, for a key of %s (case %#)',
    (alg, identityChanges, content) => {
      for (const digits of [4, 5, 6, 16]) {
        const { length } = mostAccounts(alg, identityChanges, content, digits);
        // One more account needs `digits + 1` bytes; base64url encodes three bytes as four characters.
        expect(length).toBeLessThanOrEqual(ACCESS_TOKEN_MAX_LENGTH);
        expect(length).toBeGreaterThan(
          ACCESS_TOKEN_MAX_LENGTH - Math.ceil(((digits + 1) * 4) / 3) - 2,
        );
      }
    },
  );

  it('allows as many accounts as docs/guides/http-api.md states', () => {
    const defaultIdentity = {
      issuer: 'https://api.example.com',
      audience: 'https://api.example.com',
      clientId: 'first-party',
    };
    const content = { userId: '00000000-0000-0000-0000-000000000000' };
    const guide = readFileSync(
      new URL('../../../../docs/guides/http-api.md', import.meta.url),
      'utf8',
    );
    for (const digits of [4, 6, 10, 16]) {
      const { count } = mostAccounts('ES256', defaultIdentity, content, digits);
      expect(guide).toMatch(
        new RegExp(`\\b${count.toLocaleString('en')} (ids )?of\\s${digits}\\b`),
      );
    }
  });

  it('assumes the longest signature of all keys, including keys that sign later', () => {
    const oneKey = createSigningKeys([generateSigningKey('ES256')], clock);
    const twoKeys = createSigningKeys(
      [
        generateSigningKey('ES256'),
        { key: generateSigningKey('RS256'), signsFrom: new Date(8e15) },
      ],
      clock,
    );
    expect([oneKey.maxSignatureBytes, twoKeys.maxSignatureBytes]).toEqual([64, 256]);
  });
});

describe('assertHasSeveralAccounts', () => {
  it('passes if the client can request one of several accounts', () => {
    expect(() => assertHasSeveralAccounts(null, { accounts: [1, 2] })).not.toThrow();
  });

  it.each([
    [1, [1, 2]],
    [null, [1]],
    [null, []],
  ])('throws a fault of the host for account %j of the accounts %j', (accountId, accounts) => {
    expect(() => assertHasSeveralAccounts(accountId, { accounts })).toThrow(
      expect.objectContaining({ code: 'server_error' }),
    );
  });
});
