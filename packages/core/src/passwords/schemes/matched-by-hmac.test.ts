import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type HmacDigest, matchedByHmac } from './matched-by-hmac.ts';

describe('an HMAC key', () => {
  it.each<[HmacDigest, exact: string[], equal: string[]]>([
    ['sha1', ['x'.repeat(64), 'x\0y', 'x'.repeat(32)], ['x'.repeat(65), 'x'.repeat(20)]],
    ['sha256', ['x'.repeat(64), 'x\0y', 'x'.repeat(20)], ['x'.repeat(65), 'é'.repeat(16)]],
    ['sha512', ['x'.repeat(128), 'x\0y', 'x'.repeat(32)], ['x'.repeat(129), 'é'.repeat(32)]],
  ])(
    'is an exact match for %s unless another key can have the same HMAC',
    (digest, exact, equal) => {
      expect(exact.map((key) => matchedByHmac(digest, key))).toEqual(
        exact.map(() => 'exact_match'),
      );
      const ambiguous = [...equal, 'x\0', '\0'];
      expect(ambiguous.map((key) => matchedByHmac(digest, key))).toEqual(
        ambiguous.map(() => 'match'),
      );
    },
  );

  it.each<[HmacDigest, block: number, length: number]>([
    ['sha1', 64, 20],
    ['sha256', 64, 32],
    ['sha512', 128, 64],
  ])(
    'is padded with NUL, for %s, to a block of %d bytes; the digest has %d bytes',
    (digest, block, length) => {
      const mac = (key: string | Buffer) => createHmac(digest, key).digest('hex');
      const full = 'x'.repeat(block);
      const shortened = createHmac(digest, '').digest().length;
      expect(shortened).toBe(length);
      expect(mac(full.slice(1))).toBe(mac(`${full.slice(1)}\0`));
      expect(mac(full)).not.toBe(mac(`${full}\0`));
    },
  );
});
