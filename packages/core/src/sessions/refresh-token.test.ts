import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretRing } from '../keys/secret-ring.ts';
import { canonicalScopes, SCOPES } from '../scope.ts';
import { createRefreshTokens, type RefreshTokenContent } from './refresh-token.ts';

const ring = createSecretRing([Buffer.alloc(32, 1)]);
const tokens = createRefreshTokens(ring);

const contents: fc.Arbitrary<RefreshTokenContent> = fc.record({
  sessionId: fc.uint8Array({ minLength: 16, maxLength: 16 }).map(base64url),
  userId: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
  generation: fc.integer({ min: 1, max: 0xffffffff }),
  scopes: fc.subarray([...SCOPES], { minLength: 1 }).map(canonicalScopes),
  accountId: fc.option(fc.maxSafeInteger()),
  authTimeMs: fc.integer({ min: 0, max: 2 ** 47 }),
});

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

const one: RefreshTokenContent = {
  sessionId: base64url(Buffer.alloc(16, 7)),
  userId: 'ada',
  generation: 1,
  scopes: ['user'],
  accountId: 2,
  authTimeMs: 1_795_000_000_000,
};

/** A token with every scope, of generation 7, sealed when the format was made. */
const FROZEN =
  'lh_rt_AUFZT_AHBwcHBwcHBwcHBwcHBwcHAAAAB48AAAAAAAAAAgGh7lZeAGFkYW6_5HSpc4WCLoSHuK8JwV2YBdcl';

describe('refresh tokens', () => {
  it('say what was put into them', () => {
    fc.assert(
      fc.property(contents, (content) => {
        expect(tokens.open(tokens.seal(content))?.content).toEqual(content);
      }),
    );
  });

  it('of earlier releases are read as they were meant', () => {
    const all = { ...one, scopes: SCOPES, generation: 7 };
    expect(tokens.open(FROZEN)?.content).toEqual(all);
    expect(tokens.seal(all)).toBe(FROZEN);
  });

  it('are the same bytes for the same content', () => {
    expect(tokens.seal(one)).toBe(tokens.seal({ ...one }));
  });

  it('are refused with any single bit changed', () => {
    const token = tokens.seal(one);
    const bytes = Buffer.from(token);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(tokens.open(flipped.toString('latin1'))).toBeNull();
    }
  });

  it('are refused with anything appended, cut off or put before', () => {
    const token = tokens.seal(one);
    for (const changed of [
      `${token}A`,
      `${token}=`,
      `${token} `,
      ` ${token}`,
      token.slice(0, -1),
      '',
    ]) {
      expect(tokens.open(changed)).toBeNull();
    }
  });

  it('of another ring are refused', () => {
    const other = createRefreshTokens(createSecretRing([randomBytes(32)]));
    expect(tokens.open(other.seal(one))).toBeNull();
  });

  it('survive a new secret, and keep their own for their successors', () => {
    const newer = createRefreshTokens(createSecretRing([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]));
    const opened = newer.open(tokens.seal(one));
    expect(opened?.content).toEqual(one);
    const successor = { ...one, generation: 2 };
    expect(newer.seal(successor, opened?.secretId)).toBe(tokens.seal(successor));
    expect(newer.seal(successor)).not.toBe(tokens.seal(successor));
  });
});
