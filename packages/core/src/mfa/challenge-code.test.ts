import { describe, expect, it } from 'vitest';
import { readChallengeCode } from './challenge-code.ts';

describe('readChallengeCode', () => {
  it.each(['012345', 12345, '000000', 0])('reads %j as a TOTP code', (typed) => {
    expect(readChallengeCode(typed)?.kind).toBe('totp');
  });

  it('reads the number 42 as the TOTP code 000042', () => {
    expect(readChallengeCode(42)).toEqual({ kind: 'totp', digits: '000042' });
  });

  it.each([
    '123 456',
    ' 123456\n',
    '123-456',
    '123\u00a0456',
    '12\u202f34\u202f56',
    '123\u2013456',
    '\ufeff123\u200b456',
    '\uff11\uff12\uff13\u3000\uff14\uff15\uff16',
    '\u0661\u0662\u0663\u0664\u0665\u0666',
    '\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6',
    '\u0967\u0968\u0969 \u096a\u096b\u096c',
  ])('reads %j as the TOTP code 123456', (typed) => {
    expect(readChallengeCode(typed)).toEqual({ kind: 'totp', digits: '123456' });
  });

  it.each([
    'DEMO-CODE-AAAA-2222',
    'democodeaaaa2222',
    'de-mocode-AAAA2222',
    ' DEMO CODE AAAA 2222\r\n',
    'demo\u2013code\u2013aaaa\u20132222',
    'DEMO\u2212CODE\u2011AAAA\u20142222',
    'DEMO \u2013 CODE \u2013 AAAA \u2013 2222',
    '\uff24\uff25\uff2d\uff2f\uff0dCODE\uff0dAAAA\uff0d\uff12\uff12\uff12\uff12',
  ])('reads %j as the recovery code DEMOCODEAAAA2222', (typed) => {
    expect(readChallengeCode(typed)).toEqual({ kind: 'recovery', code: 'DEMOCODEAAAA2222' });
  });

  it.each([
    '12345',
    '1234567',
    '12345 6 7',
    '123.456',
    '123_456',
    '+123456',
    '12345\u00bd',
    '123456 123456',
    '',
    ' \u2013 ',
    -1,
    1_000_000,
    1.5,
    'DEMO-CODE-AAAA-1111',
    'DEMO-CODE-AAAA-222',
    `${'-'.repeat(100)}DEMOCODEAAAA2222`,
    'ıEMOCODEAAAA2222',
  ])('returns null for %j', (typed) => {
    expect(readChallengeCode(typed)).toBeNull();
  });
});
