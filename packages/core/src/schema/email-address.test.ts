import { describe, expect, it } from 'vitest';
import { workMs } from '../work-ms.test.support.ts';
import { isEmailAddress } from './email-address.ts';

describe('an e-mail address', () => {
  it.each(['ada@example.com', 'a@b', 'jörg@exämple.de', 'o’neil+tag@example.com'])(
    '%j is valid',
    (text) => {
      expect(isEmailAddress(text)).toBe(true);
    },
  );

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@@example.com',
    'a@b@c',
    'a＠b.com',
    'ada @example.com',
    'ada@example.com\r\nX: y',
    'a\u0000@example.com',
    'a\u200b@example.com',
    'a\ud800@example.com',
    `${'a'.repeat(250)}@b.com`,
  ])('%j is invalid', (text) => {
    expect(isEmailAddress(text)).toBe(false);
  });

  it('is validated in less than 20 ms with 8,000 dots', () => {
    const tookMs = workMs(() => {
      expect(isEmailAddress(`a@${'a.'.repeat(8_000)}`)).toBe(false);
    });
    expect(tookMs).toBeLessThan(20);
  });
});
