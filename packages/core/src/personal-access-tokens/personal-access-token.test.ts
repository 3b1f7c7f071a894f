import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  claimsToBePersonal,
  hashPersonalAccessToken,
  isPersonalAccessToken,
  newPersonalAccessToken,
  PERSONAL_ACCESS_TOKEN_PATTERN,
  shownPrefix,
} from './personal-access-token.ts';

/** Computed by another implementation: Python's `zlib.crc32`, and long division by 62. */
const EXTERNAL_TOKENS = [
  'lh_pat_0000000000000000000000000000002C8GjS',
  'lh_pat_abcdefghijklmnopqrstuvwxyz01232LolCm',
  'lh_pat_drrYjTdd6emrCGjTGYv3HF2s7u0rih00gEpD',
];

describe('a personal access token', () => {
  it('has a prefix, thirty digits of base 62 and six digits of checksum', () => {
    for (let i = 0; i < 100; i += 1) {
      const token = newPersonalAccessToken();
      expect(token).toMatch(/^lh_pat_[0-9A-Za-z]{36}$/);
      expect(isPersonalAccessToken(token)).toBe(true);
      expect(claimsToBePersonal(token)).toBe(true);
    }
  });

  it.each(EXTERNAL_TOKENS)('%s has the checksum that other implementations compute', (token) => {
    expect(isPersonalAccessToken(token)).toBe(true);
  });

  it('is unique among a thousand', () => {
    const tokens = Array.from({ length: 1000 }, newPersonalAccessToken);
    expect(new Set(tokens).size).toBe(1000);
  });

  it('has uniformly distributed digits', () => {
    const counts = new Map<string, number>();
    const tokens = 4000;
    for (let i = 0; i < tokens; i += 1) {
      for (const digit of newPersonalAccessToken().slice(7, 37)) {
        counts.set(digit, (counts.get(digit) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    const expectedCount = (tokens * 30) / 62;
    const chiSquare = [...counts.values()].reduce(
      (sum, count) => sum + (count - expectedCount) ** 2 / expectedCount,
      0,
    );
    // 61 degrees of freedom: exceeded once in ten million runs. Bytes modulo 62 would give about 800.
    expect(chiSquare).toBeLessThan(135);
  });

  it('is not recognised with any character changed, left out or doubled', () => {
    const token = newPersonalAccessToken();
    for (let index = 0; index < token.length; index += 1) {
      const [before, after] = [token.slice(0, index), token.slice(index + 1)];
      const otherChar = token.charAt(index) === 'A' ? 'B' : 'A';
      for (const changedToken of [
        before + otherChar + after,
        before + after,
        before + token.charAt(index) + token.slice(index),
      ]) {
        expect(isPersonalAccessToken(changedToken), changedToken).toBe(false);
      }
    }
  });

  it.each([
    '',
    'lh_pat_',
    `lh_pat_${'0'.repeat(36)}`,
    `${EXTERNAL_TOKENS[0]}\n`,
    ` ${EXTERNAL_TOKENS[0]}`,
    EXTERNAL_TOKENS[0]?.toUpperCase() ?? '',
    'eyJhbGciOiJFUzI1NiJ9.e30.x',
    'lh_rt_x',
  ])('is not recognised in %j', (text) => {
    expect(isPersonalAccessToken(text)).toBe(false);
  });

  it('is hashed for stores with SHA-256', () => {
    const token = newPersonalAccessToken();
    const expected = createHash('sha256').update(token).digest('base64url');
    expect(hashPersonalAccessToken(token)).toBe(expected);
  });

  it('has a shown prefix with four of its digits', () => {
    expect(shownPrefix('lh_pat_abcdefghijklmnopqrstuvwxyz01232LolCm')).toBe('lh_pat_abcd');
  });
});

describe('the published pattern', () => {
  it('finds a token in source code, JSON and text', () => {
    const token = newPersonalAccessToken();
    for (const text of [
      token,
      `TOKEN="${token}"`,
      `{"t":"${token}"}`,
      `x ${token}\n`,
      `=${token};`,
    ]) {
      expect(PERSONAL_ACCESS_TOKEN_PATTERN.exec(text)?.[0]).toBe(token);
    }
  });

  it('does not match a longer or shorter text', () => {
    const token = newPersonalAccessToken();
    for (const text of [`${token}0`, token.slice(0, -1), `x${token}`]) {
      expect(text).not.toMatch(PERSONAL_ACCESS_TOKEN_PATTERN);
    }
  });
});
