import { describe, expect, it } from 'vitest';
import { formatArgon2Phc, parseArgon2Phc } from './argon2-phc.ts';

const SALT = 'AAECAwQFBgcICQoLDA0ODw';
const TAG = '7Gk7aEIYzmYtbHYYvvqBKT0sqZfGm8c7xbSTEB1C0bk';
const REAL = `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${TAG}`;

describe('a PHC string of argon2id', () => {
  it('is read and written back byte for byte', () => {
    const parsed = parseArgon2Phc(REAL);
    expect(parsed).toMatchObject({
      version: 0x13,
      memoryKib: 19_456,
      iterations: 2,
      parallelism: 1,
      tagBytes: 32,
    });
    expect(parsed && formatArgon2Phc(parsed, parsed.tag)).toBe(REAL);
  });

  it.each(['m=19456,p=1,t=2', 't=2,m=19456,p=1', 'p=1,t=2,m=19456'])(
    'is read with its parameters in any order: %s',
    (parameters) => {
      const parsed = parseArgon2Phc(REAL.replace('m=19456,t=2,p=1', parameters));
      expect(parsed).toEqual(parseArgon2Phc(REAL));
    },
  );

  it('has version 0x10 if it names no version', () => {
    expect(parseArgon2Phc(REAL.replace('v=19$', ''))?.version).toBe(0x10);
  });

  it('is usable with 262144 KiB, 10 passes and 4 lanes', () => {
    const parsed = parseArgon2Phc(REAL.replace('m=19456,t=2,p=1', 'm=262144,t=10,p=4'));
    expect(parsed).not.toBeNull();
  });

  it.each([
    ['262145 KiB', 'm=262145,t=10,p=4'],
    ['4 GiB', 'm=4194304,t=2,p=1'],
    ['more than 32 bits', 'm=9999999999,t=2,p=1'],
    ['11 passes', 'm=19456,t=11,p=1'],
    ['5 lanes', 'm=19456,t=2,p=5'],
    ['no pass', 'm=19456,t=0,p=1'],
    ['no lane', 'm=19456,t=2,p=0'],
    ['less than eight blocks a lane', 'm=15,t=2,p=2'],
  ])('is unusable with %s (%s)', (_, parameters) => {
    expect(parseArgon2Phc(REAL.replace('m=19456,t=2,p=1', parameters))).toBeNull();
  });

  it.each([
    ['an empty string', ''],
    ['argon2i', REAL.replace('argon2id', 'argon2i')],
    ['argon2d', REAL.replace('argon2id', 'argon2d')],
    ['an unknown version', REAL.replace('v=19', 'v=20')],
    ['a parameter twice', REAL.replace('t=2', 'm=2')],
    ['a parameter thrice', REAL.replace('t=2,p=1', 'm=2,m=3')],
    ['a parameter left out', REAL.replace(',t=2', '')],
    ['a number of eleven digits', REAL.replace('m=19456', 'm=00000019456')],
    ['a comma at the end', REAL.replace('p=1', 'p=1,')],
    ['a keyed hash', REAL.replace(',p=1', ',p=1,keyid=Zm9v')],
    ['a tag of 15 bytes', `$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${TAG.slice(0, 20)}`],
    ['a tag of 100 bytes', `${REAL}${'A'.repeat(90)}`],
    ['no tag', `$argon2id$v=19$m=19456,t=2,p=1$${SALT}`],
    ['another alphabet', REAL.replace(TAG, TAG.replace('7', '-'))],
    ['a trailing line break', `${REAL}\n`],
    ['a negative number', REAL.replace('t=2', 't=-2')],
  ])('is rejected with %s', (_, text) => {
    expect(parseArgon2Phc(text)).toBeNull();
  });
});
