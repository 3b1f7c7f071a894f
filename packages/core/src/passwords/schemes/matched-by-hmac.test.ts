import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type HmacDigest, matchedByHmac } from './matched-by-hmac.ts';

describe('an HMAC key', () => {
  it.each<[HmacDigest, exact: string[], equal: string[]]>([
    ['sha1', ['x'.repeat(64), 'x\0y', 'x'.repeat(32)], ['x'.repeat(65), 'x'.repeat(20)]],
    ['sha256', ['x'.repeat(64), 'x\0y', 'x'.repeat(20)], ['x'.repeat(65), 'é'.repeat(16)]],
    ['sha512', ['x'.repeat(128), 'x\0y', 'x'.repeat(32)], ['x'.repeat(129), 'é'.repeat(32)]],
  ])(
    'of %s is an exact match unless another key can have the same HMAC',
    (digest, exact, equal) => {
      expect(exact.map((key) => matchedByHmac(digest, key))).toEqual(
        exact.map(() => 'exact_match'),
      );
      const doubtful = [...equal, 'x\0', '\0'];
      expect(doubtful.map((key) => matchedByHmac(digest, key))).toEqual(
        doubtful.map(() => 'match'),
      );
    },
  );

  it.each<[HmacDigest, block: number, length: number]>([
    ['sha1', 64, 20],
    ['sha256', 64, 32],
    ['sha512', 128, 64],
  ])('of %s is padded with NUL to %d bytes, and the digest has %d', (digest, block, length) => {
    const mac = (key: string | Buffer) => createHmac(digest, key).digest('hex');
    const full = 'x'.repeat(block);
    const shortened = createHmac(digest, '').digest().length;
    expect(shortened).toBe(length);
    expect(mac(full.slice(1))).toBe(mac(`${full.slice(1)}\0`));
    expect(mac(full)).not.toBe(mac(`${full}\0`));
  });
});
