import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../keys/secret-ring.ts';
import { SCOPES } from '../scopes/scope.ts';
import { createRefreshTokens, type RefreshTokenContent } from './refresh-token.ts';

const ring = createSecretRing([Buffer.alloc(32, 1)]);
const tokens = createRefreshTokens(ring);

/** Visible ASCII, of all lengths. */
const textIds = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 64,
});

const contents: fc.Arbitrary<RefreshTokenContent> = fc.record({
  sessionId: fc.uint8Array({ minLength: 16, maxLength: 16 }).map(base64url),
  userId: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
  generation: fc.integer({ min: 1, max: 0xffffffff }),
  scopes: fc.subarray([...SCOPES, 'billing:read', 'payout', '!#~'], { minLength: 1 }),
  accountId: fc.option(fc.oneof(fc.maxSafeInteger(), textIds)),
  authTimeMs: fc.integer({ min: 0, max: 2 ** 47 }),
});

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

const CONTENT: RefreshTokenContent = {
  sessionId: base64url(Buffer.alloc(16, 7)),
  userId: 'ada',
  generation: 1,
  scopes: ['user'],
  accountId: 2,
  authTimeMs: 1_795_000_000_000,
};

/** A token with every scope, of generation 7, signed when the format was made. */
const FROZEN =
  'lh_rt_AUFZT_AHBwcHBwcHBwcHBwcHBwcHAAAAB48AAAAAAAAAAgGh7lZeAGFkYW6_5HSpc4WCLoSHuK8JwV2YBdcl';

describe('refresh tokens', () => {
  it('verify to the content that was signed', () => {
    fc.assert(
      fc.property(contents, (content) => {
        expect(tokens.verify(tokens.sign(content))?.content).toEqual(content);
      }),
    );
  });

  it('are read unchanged if an earlier release has signed them', () => {
    const content = { ...CONTENT, scopes: SCOPES, generation: 7 };
    expect(tokens.verify(FROZEN)?.content).toEqual(content);
    expect(tokens.sign(content)).toBe(FROZEN);
  });

  it('are read with the longest user id, the longest account id and the most scopes', () => {
    const appScopes = Array.from({ length: 64 }, (_, i) => `${i}`.padEnd(15, 'x'));
    const longest = {
      ...CONTENT,
      userId: 'x'.repeat(255),
      accountId: '~'.repeat(64),
      scopes: [...SCOPES, ...appScopes],
    };
    expect(tokens.verify(tokens.sign(longest))?.content).toEqual(longest);
  });

  it('distinguish an account id that is a string from the same integer and from no account', () => {
    const signedTokens = [2, '2', null, '\u0000'.repeat(7)].map((accountId) =>
      tokens.sign({ ...CONTENT, accountId }),
    );
    expect(new Set(signedTokens).size).toBe(4);
    expect(signedTokens.map((token) => tokens.verify(token)?.content.accountId)).toEqual([
      2,
      '2',
      null,
      '\u0000'.repeat(7),
    ]);
  });

  it('are the same bytes for the same content', () => {
    expect(tokens.sign(CONTENT)).toBe(tokens.sign({ ...CONTENT }));
  });

  it('are rejected with any single bit changed', () => {
    const token = tokens.sign(CONTENT);
    const bytes = Buffer.from(token);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(tokens.verify(flipped.toString('latin1'))).toBeNull();
    }
  });

  it('are rejected with anything appended, cut off or put before', () => {
    const token = tokens.sign(CONTENT);
    for (const changedToken of [
      `${token}A`,
      `${token}=`,
      `${token} `,
      ` ${token}`,
      token.slice(0, -1),
      '',
    ]) {
      expect(tokens.verify(changedToken)).toBeNull();
    }
  });

  it('are rejected if they were signed with a secret that the ring does not have', () => {
    const otherTokens = createRefreshTokens(createSecretRing([randomBytes(32)]));
    expect(tokens.verify(otherTokens.sign(CONTENT))).toBeNull();
  });

  describe('after a newer secret was added to the ring', () => {
    const newTokens = createRefreshTokens(
      createSecretRing([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]),
    );

    it('are still verified', () => {
      expect(newTokens.verify(tokens.sign(CONTENT))?.content).toEqual(CONTENT);
    });

    it('can be signed with the old secret of their predecessor', () => {
      const secretId = newTokens.verify(tokens.sign(CONTENT))?.secretId;
      const successor = { ...CONTENT, generation: 2 };
      expect(newTokens.sign(successor, secretId)).toBe(tokens.sign(successor));
      expect(newTokens.sign(successor)).not.toBe(tokens.sign(successor));
    });
  });
});
