import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type HmacDigest, matchedByHmac } from './matched-by-hmac.ts';

describe('an HMAC key', () => {
  it.each<[HmacDigest, exactKeys: string[], ambiguousKeys: string[]]>([
    ['sha1', ['x'.repeat(64), 'x\0y', 'x'.repeat(32)], ['x'.repeat(65), 'x'.repeat(20)]],
    ['sha256', ['x'.repeat(64), 'x\0y', 'x'.repeat(20)], ['x'.repeat(65), 'é'.repeat(16)]],
    ['sha512', ['x'.repeat(128), 'x\0y', 'x'.repeat(32)], ['x'.repeat(129), 'é'.repeat(32)]],
  ])(
    'is an exact match for %s unless another key can have the same HMAC',
    (digest, exactKeys, ambiguousKeys) => {
      expect(exactKeys.map((key) => matchedByHmac(digest, key))).toEqual(
        exactKeys.map(() => 'exact_match'),
      );
      const ambiguous = [...ambiguousKeys, 'x\0', '\0'];
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
      const keyOfBlock = 'x'.repeat(block);
      expect(createHmac(digest, '').digest()).toHaveLength(length);
      expect(mac(keyOfBlock.slice(1))).toBe(mac(`${keyOfBlock.slice(1)}\0`));
      expect(mac(keyOfBlock)).not.toBe(mac(`${keyOfBlock}\0`));
    },
  );
});
