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

  it('have the same hash with dashes and capitals as typed in lower case', async () => {
    const [shown = ''] = await newRecoveryCodes();
    const typed = readChallengeCode(shown.toLowerCase());
    expect(typed?.kind).toBe('recovery');
    if (typed?.kind !== 'recovery') return;
    expect(hashRecoveryCode('ada', typed.code)).toBe(hashRecoveryCode('ada', shown));
  });

  it('hash differently for every user, to 256 bits', () => {
    const code = 'AAAA-BBBB-CCCC-DDDD';
    expect(hashRecoveryCode('ada', code)).toMatch(/^[\w-]{43}$/);
    expect(hashRecoveryCode('ada', code)).not.toBe(hashRecoveryCode('bob', code));
    // The hash of an earlier release: what was stored then must be found for ever.
    expect(hashRecoveryCode('ada', code)).toBe('vCpyoylso4TJ4pfZ8L9loq6wcR_LwqPf8RwG-CUfU3w');
  });
});
