import { generateSync } from 'otplib';
import { describe, expect, it } from 'vitest';
import { verifyTotp } from './totp.ts';
import { readTotpSecret } from './totp-secret.ts';

const NOW_MS = 1_795_182_015_000;
const lengths = Array.from({ length: 110 }, (_, length) => length);
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'];

/** The secret, or what is wrong with it. */
function read(value: unknown): string {
  const reading = readTotpSecret(value);
  return reading.outcome === 'read' ? reading.secret : reading.mistake;
}

/** Letters of base32 for so many bytes; `null` where there is no such number of bytes. */
function bytesOf(length: number): number | null {
  return [1, 3, 6].includes(length % 8) ? null : Math.floor((length * 5) / 8);
}

describe('a secret of the user store', () => {
  it.each([
    ['as it is', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    ['of 80 bits', 'GEZDGNBVGY3TQOJQ', 'GEZDGNBVGY3TQOJQ'],
    ['of 120 bits', 'GEZDGNBVGY3TQOJQGEZDGNBV', 'GEZDGNBVGY3TQOJQGEZDGNBV'],
    ['in lower case', 'gezdgnbvgy3tqojq', 'GEZDGNBVGY3TQOJQ'],
    ['in groups', ' gezd gnbv\u00a0gy3t qojq\n', 'GEZDGNBVGY3TQOJQ'],
    ['with dashes', 'GEZD-GNBV\u2013GY3T\u2212QOJQ', 'GEZDGNBVGY3TQOJQ'],
    ['with padding', 'GEZDGNBVGY3TQOJQGE======', 'GEZDGNBVGY3TQOJQGE'],
    ['with padding in separate groups', 'gezd gnbv gy3t qojq ge== ====', 'GEZDGNBVGY3TQOJQGE'],
    ['of full width', '\uff27EZDGNBVGY3TQOJ\uff31', 'GEZDGNBVGY3TQOJQ'],
    ['drawn letter by letter, with spare bits', 'GEZDGNBVGY3TQOJQGEZZ', 'GEZDGNBVGY3TQOJQGEZQ'],
  ])('is read %s', (_, value, secret) => {
    expect(read(value)).toBe(secret);
  });

  it('is read at any length from 10 to 64 bytes, with any last letter', async () => {
    for (const length of lengths) {
      const bytes = bytesOf(length + 1);
      const isFit = bytes !== null && length + 1 >= 16 && bytes <= 64;
      for (const last of letters) {
        const reading = readTotpSecret('A'.repeat(length) + last);
        expect([length + 1, last, reading.outcome]).toEqual([
          length + 1,
          last,
          isFit ? 'read' : 'unreadable',
        ]);
        if (reading.outcome === 'unreadable' || last > 'D') continue;
        // The library rejects what it cannot decode.
        await expect(verifyTotp(reading.secret, '000000', NOW_MS)).resolves.toBeDefined();
      }
    }
  });

  it('of 80 bits makes the codes that authenticator apps show', async () => {
    // RFC 4226 by another implementation.
    const secret = read('gezd gnbv gy3t qojq');
    expect(await verifyTotp(secret, '263420', 59_000)).toEqual({ outcome: 'valid', step: 1 });
    const grouped = generateSync({ secret: read(`${secret}${secret}`), epoch: 59 });
    expect(await verifyTotp(secret + secret, grouped, 59_000)).toMatchObject({ step: 1 });
  });

  it.each([
    [undefined, 'is no text'],
    [null, 'is no text'],
    [1, 'is no text'],
    [{}, 'is no text'],
    [Buffer.alloc(20), 'is no text'],
    ['', 'has 0 letters: 80 bits take 16'],
    ['GEZDGNBVGY3TQOJ', 'has 15 letters: 80 bits take 16'],
    ['GEZDGNBVGY3TQOJ1', 'has characters that base32 does not have'],
    ['\u0131EZDGNBVGY3TQOJQ', 'has characters that base32 does not have'],
    ['GEZDGNBVGY3TQOJ=Q', 'has characters that base32 does not have'],
    ['GEZDGNBVGY3TQOJQG', 'has 17 letters, which no number of bytes has: is it cut off?'],
    ['A'.repeat(104), 'has 104 letters: at most 103'],
    [' '.repeat(513), 'has more than 512 characters'],
  ])('is rejected: %j %s', (value, mistake) => {
    expect(read(value)).toBe(mistake);
  });
});
