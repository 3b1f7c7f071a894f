import { describe, expect, it } from 'vitest';
import { readChallengeCode } from './challenge-code.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';

describe('recovery codes', () => {
  it('are ten distinct codes of 80 bits, in groups of four letters', async () => {
    const codes = [...(await newRecoveryCodes()), ...(await newRecoveryCodes())];
    expect(new Set(codes).size).toBe(20);
    for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
  });

  it('use all 32 letters of base32', async () => {
    const batches = await Promise.all(Array.from({ length: 20 }, () => newRecoveryCodes()));
    const letters = new Set(batches.flat().join(''));
    letters.delete('-');
    expect([...letters].sort().join('')).toBe('234567ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  });

  it('have the same hash when they are typed in lower case', async () => {
    const [code = ''] = await newRecoveryCodes();
    const parsed = readChallengeCode(code.toLowerCase());
    expect(parsed?.kind).toBe('recovery');
    if (parsed?.kind !== 'recovery') return;
    expect(hashRecoveryCode('ada', parsed.code)).toBe(hashRecoveryCode('ada', code));
  });

  const code = 'AAAA-BBBB-CCCC-DDDD';

  it('have a different hash of 256 bits for every user', () => {
    expect(hashRecoveryCode('ada', code)).toMatch(/^[\w-]{43}$/);
    expect(hashRecoveryCode('ada', code)).not.toBe(hashRecoveryCode('bob', code));
  });

  it('have the same hash as in earlier versions', () => {
    expect(hashRecoveryCode('ada', code)).toBe('vCpyoylso4TJ4pfZ8L9loq6wcR_LwqPf8RwG-CUfU3w');
  });
});
