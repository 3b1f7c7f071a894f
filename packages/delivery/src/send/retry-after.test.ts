import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const DAY = 24 * 60 * 60 * 1000;

describe('retryAfterMs', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['0120', 120_000],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 09:59:59 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Friday, 20-Nov-26 10:00:30 GMT', 30_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Thursday, 01-Jan-70 00:00:00 GMT', 0],
    ['Tuesday, 01-Jan-69 00:00:00 GMT', DAY],
    ['Fri Nov 20 10:00:30 2026', 30_000],
    ['Sun Nov  6 08:49:37 1994', 0],
  ])('reads %j as %d ms', (value, ms) => {
    expect(retryAfterMs(value, NOW)).toBe(ms);
  });

  it.each(['86401', '99999999999999999999', '9'.repeat(400), 'Sun, 20 Dec 2026 10:00:00 GMT'])(
    'limits %j to a day',
    (value) => {
      expect(retryAfterMs(value, NOW)).toBe(DAY);
    },
  );

  it.each([
    '',
    ' ',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    '5s',
    'soon',
    'NaN',
    'Infinity',
    '2026-11-20T10:00:30Z',
    'Fri, 99 Nov 2026 10:00:30 GMT',
    'Fri, 20 Foo 2026 10:00:30 GMT',
    'Fri, 20 Nov 2026 10:00:30 +0100',
    'Friday, 20 Nov 26 10:00:30 GMT',
    'Friday, 99-Nov-26 10:00:30 GMT',
    'Fri Nov 20 10:00:30 2026 GMT',
    'Fri Foo 20 10:00:30 2026',
  ])('ignores %j', (value) => {
    expect(retryAfterMs(value, NOW)).toBeNull();
  });
});
