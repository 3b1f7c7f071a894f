import { generateSync } from 'otplib';
import { describe, expect, it } from 'vitest';
import { verifyTotp } from './totp.ts';
import { readTotpSecret } from './totp-secret.ts';

const NOW_MS = 1_795_182_015_000;
const lengths = Array.from({ length: 110 }, (_, i) => i + 1);
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'];

/** The secret as it was read, or the mistake in it. */
function read(value: unknown): string {
  const reading = readTotpSecret(value);
  return reading.outcome === 'read' ? reading.secret : reading.mistake;
}

/** How many bytes a number of base32 letters encodes; `null` if no number of bytes has that many letters. */
function bytesOf(letterCount: number): number | null {
  return [1, 3, 6].includes(letterCount % 8) ? null : Math.floor((letterCount * 5) / 8);
}

describe('a TOTP secret from the user store', () => {
  it.each([
    ['with 160 bits', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    ['with 80 bits', 'GEZDGNBVGY3TQOJQ', 'GEZDGNBVGY3TQOJQ'],
    ['with 120 bits', 'GEZDGNBVGY3TQOJQGEZDGNBV', 'GEZDGNBVGY3TQOJQGEZDGNBV'],
    ['in lower case', 'gezdgnbvgy3tqojq', 'GEZDGNBVGY3TQOJQ'],
    [
      'with spaces between its groups of letters',
      ' gezd gnbv\u00a0gy3t qojq\n',
      'GEZDGNBVGY3TQOJQ',
    ],
    [
      'with dashes between its groups of letters',
      'GEZD-GNBV\u2013GY3T\u2212QOJQ',
      'GEZDGNBVGY3TQOJQ',
    ],
    ['with padding', 'GEZDGNBVGY3TQOJQGE======', 'GEZDGNBVGY3TQOJQGE'],
    ['with padding in separate groups', 'gezd gnbv gy3t qojq ge== ====', 'GEZDGNBVGY3TQOJQGE'],
    ['in full-width letters', '\uff27EZDGNBVGY3TQOJ\uff31', 'GEZDGNBVGY3TQOJQ'],
    ['with spare bits in its last letter', 'GEZDGNBVGY3TQOJQGEZZ', 'GEZDGNBVGY3TQOJQGEZQ'],
  ])('is accepted %s', (_, value, secret) => {
    expect(read(value)).toBe(secret);
  });

  it('is accepted only at lengths from 10 to 64 bytes, with any last letter', async () => {
    for (const length of lengths) {
      const bytes = bytesOf(length);
      const isValid = bytes !== null && length >= 16 && bytes <= 64;
      for (const last of letters) {
        const reading = readTotpSecret('A'.repeat(length - 1) + last);
        const expected = isValid ? 'read' : 'unreadable';
        expect([length, last, reading.outcome]).toEqual([length, last, expected]);
        // `otplib` rejects a secret that it cannot decode. Ten of the last letters are enough, because this takes time.
        if (reading.outcome === 'unreadable' || last > 'D') continue;
        await expect(verifyTotp(reading.secret, '000000', NOW_MS)).resolves.toBeDefined();
      }
    }
  });

  it('yields the codes that authenticator apps show', async () => {
    /** In step 1. */
    const nowMs = 59_000;
    const secret = read('gezd gnbv gy3t qojq');
    // This code was computed by another implementation of RFC 4226.
    expect(await verifyTotp(secret, '263420', nowMs)).toEqual({ outcome: 'valid', step: 1 });
    const code = generateSync({ secret: read(`${secret}${secret}`), epoch: nowMs / 1000 });
    expect(await verifyTotp(secret + secret, code, nowMs)).toMatchObject({ step: 1 });
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
  ])('is rejected if it is %j, because it %s', (value, mistake) => {
    expect(read(value)).toBe(mistake);
  });
});
