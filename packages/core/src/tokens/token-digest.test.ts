import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { digestToken } from './token-digest.ts';

it('the digest of a token is its SHA-256', () => {
  const expected = createHash('sha256').update('a.b.c').digest('binary');
  expect(digestToken('a.b.c')).toBe(expected);
});
