import { describe, expect, it } from 'vitest';
import { verifyTotp } from './totp.ts';
import { isTotpSecret } from './totp-secret.ts';

const lengths = Array.from({ length: 110 }, (_, length) => length);
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'];

/** Whether the library that verifies codes takes it. */
async function isTaken(secret: string): Promise<boolean> {
  return verifyTotp(secret, '000000', 0).then(
    () => true,
    () => false,
  );
}

describe('isTotpSecret', () => {
  it.each([
    ['zeros of any length', lengths.map((length) => 'A'.repeat(length))],
    ['any last letter', letters.flatMap((last) => lengths.map((n) => 'A'.repeat(n) + last))],
    [
      'any padding',
      lengths.flatMap((n) => [1, 3, 4, 6, 8].map((m) => 'A'.repeat(n) + '='.repeat(m))),
    ],
    ['lower case', [`gezdgnbvgy3tqojq${'gezdgnbvgy3tqojq'}`]],
    ['what is no base32', ['0', '1', '8', ' ', '-', '\n'].map((c) => `${'A'.repeat(31)}${c}`)],
  ])('says of %s what the library will say', async (_, secrets) => {
    for (const secret of secrets) {
      expect([secret, isTotpSecret(secret)]).toEqual([secret, await isTaken(secret)]);
    }
  });

  it.each([undefined, null, 1, {}, Buffer.alloc(20)])('refuses what is no text: %j', (value) => {
    expect(isTotpSecret(value)).toBe(false);
  });
});
