import { describe, expect, it } from 'vitest';
import { readChallengeCode } from './challenge-code.ts';

describe('the shape of a code', () => {
  it.each(['012345', 12345, '000000', 0])('%j is a TOTP code', (typed) => {
    expect(readChallengeCode(typed)?.kind).toBe('totp');
  });

  it('gives a number its leading zeros back', () => {
    expect(readChallengeCode(42)).toEqual({ kind: 'totp', digits: '000042' });
  });

  it.each(['DEMO-CODE-AAAA-2222', 'democodeaaaa2222', 'de-mocode-AAAA2222'])(
    '%j is a recovery code, whatever its case and dashes',
    (typed) => {
      expect(readChallengeCode(typed)).toEqual({ kind: 'recovery', code: 'DEMOCODEAAAA2222' });
    },
  );

  it.each([
    '12345',
    '1234567',
    '123456\n',
    ' 123456',
    '１２３４５６',
    '',
    -1,
    1_000_000,
    1.5,
    'DEMO-CODE-AAAA-1111',
    'DEMO-CODE-AAAA-222',
    `${'-'.repeat(100)}DEMOCODEAAAA2222`,
    'ıEMOCODEAAAA2222',
  ])('%j is malformed', (typed) => {
    expect(readChallengeCode(typed)).toBeNull();
  });
});
