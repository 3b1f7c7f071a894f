import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HMAC_ROOM_BYTES, hmacSha256 } from './hmac-sha256.ts';

function hmacOf(key: Uint8Array, content: Uint8Array): string {
  return hmacSha256(key, Buffer.concat([Buffer.alloc(HMAC_ROOM_BYTES, 0xff), content]));
}

describe('HMAC-SHA-256', () => {
  // The test cases 1, 2, 3, 4, 6 and 7 of RFC 4231; the fifth is of a truncated one.
  it.each([
    [
      Buffer.alloc(20, 0x0b),
      'Hi There',
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      Buffer.from('Jefe'),
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      Buffer.alloc(20, 0xaa),
      Buffer.alloc(50, 0xdd),
      '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
    ],
    [
      Buffer.from(Array.from({ length: 25 }, (_, nth) => nth + 1)),
      Buffer.alloc(50, 0xcd),
      '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
    ],
    [
      Buffer.alloc(131, 0xaa),
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
    [
      Buffer.alloc(131, 0xaa),
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
      '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
    ],
  ])('is as RFC 4231 has it (%#)', (key, content, hex) => {
    expect(hmacOf(key, Buffer.from(content))).toBe(Buffer.from(hex, 'hex').toString('base64'));
  });

  it('is that of createHmac, whatever the key and the content', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 130 }),
        fc.uint8Array({ maxLength: 300 }),
        (key, content) => {
          const expected = createHmac('sha256', key).update(content).digest('base64');
          expect(hmacOf(key, content)).toBe(expected);
        },
      ),
      { seed: 1 },
    );
  });

  it('leaves nothing of the key in what it was given', () => {
    const padded = Buffer.alloc(HMAC_ROOM_BYTES + 3, 7);
    hmacSha256(Buffer.alloc(32, 1), padded);
    expect(padded).toEqual(Buffer.concat([Buffer.alloc(HMAC_ROOM_BYTES), Buffer.alloc(3, 7)]));
  });
});
