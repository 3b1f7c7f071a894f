import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isGuessable } from './is-guessable.ts';

const words = 'my very secret key for the server';

/** The encodings in which people write random bytes down. */
const ENCODINGS: Readonly<Record<string, (random: Buffer) => string | Uint8Array>> = {
  bytes: (random) => random,
  base64: (random) => random.toString('base64'),
  'base64 without padding': (random) => random.toString('base64').replaceAll('=', ''),
  'base64 in a file': (random) => Buffer.from(`${random.toString('base64')}\n`),
  'base64 in lines': (random) => random.toString('base64').replace(/(.{20})/g, '$1\r\n'),
  base64url: (random) => random.toString('base64url'),
  hex: (random) => random.toString('hex'),
  'hex in capitals': (random) => random.toString('hex').toUpperCase(),
  'hex of 16 bytes': (random) => random.toString('hex').slice(32),
  'base64 of hex': (random) => Buffer.from(random.toString('hex')).toString('base64'),
  'a fingerprint': (random) => random.toString('hex').replace(/(..)(?=.)/g, '$1:'),
  'hex after 0x': (random) => `0x${random.toString('hex')}`,
  'hex after a version': (random) => `v1:${random.toString('hex')}`,
  'hex in quotes': (random) => `"${random.toString('hex').slice(32)}"`,
  'a UUID': (random) =>
    random.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5'),
};

describe('isGuessable', () => {
  // At most one random key in three million is rejected. By Markov's inequality, the probability that a random text
  // scores n bits is at most 2^-n. For base64 that is 4 * 2^-24, because the last letter has two random bits less, plus
  // 2^-24 for the encoded bytes. In addition, 2^-26.4 of all strings of 32 bytes are UTF-8.
  it.each(Object.entries(ENCODINGS))(
    'returns false for random bytes written as %s',
    (_, encode) => {
      // Hashes instead of random bytes, so that this test cannot fail by chance.
      const keys = Array.from({ length: 1_000 }, (__, i) =>
        encode(createHash('sha256').update(`key ${i}`).digest()),
      );
      expect(keys.filter(isGuessable)).toEqual([]);
    },
  );

  it.each<[what: string, key: string | Uint8Array]>([
    ['zeros', Buffer.alloc(32)],
    ['zeros in base64', Buffer.alloc(32).toString('base64')],
    ['zeros in base64url', Buffer.alloc(48).toString('base64url')],
    ['zeros in hex', '0'.repeat(64)],
    ['zeros in hex after 0x', `0x${'0'.repeat(64)}`],
    ['ones', Buffer.alloc(32, 0xff)],
    ['ones in base64', Buffer.alloc(32, 0xff).toString('base64')],
    ['ones in hex', 'f'.repeat(64)],
    ['zeros except for the last byte', Buffer.concat([Buffer.alloc(31), Buffer.of(1)])],
    ['16 random bytes twice', Buffer.concat(new Array(2).fill(randomBytes(16)))],
    ['eight random bytes four times, in hex', randomBytes(8).toString('hex').repeat(4)],
    ['a sequence of bytes', Buffer.from(Array.from({ length: 32 }, (_, i) => i))],
    [
      'a sequence of bytes in base64',
      Buffer.from(Array.from({ length: 32 }, (_, i) => 7 * i)).toString('base64'),
    ],
    ['doubled digits of hex', '00112233445566778899aabbccddeeff'],
    ['one repeated letter', 'x'.repeat(32)],
    ['the alphabet', 'abcdefghijklmnopqrstuvwxyz012345'],
    ['the digits of hex', '0123456789abcdef0123456789abcdef'],
    ['decimal digits', '12345678901234567890123456789012'],
    ['words in hex', 'deadbeefcafebabedeadbeefcafebabe'],
    ['the rows of a keyboard', 'qwertyuiopasdfghjklzxcvbnm123456'],
    ['the columns of a keyboard', '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9'],
    ['a repeated password', 'hunter2hunter2hunter2hunter2hunter2'],
    ['repetitions of changeme', 'changemechangemechangemechangeme'],
    ['numbered repetitions of changeme', 'changeme-1-changeme-2-changeme-3-'],
    ['words with spaces', words],
    ['words as bytes', Buffer.from(words)],
    ['words in base64', Buffer.from(words).toString('base64')],
    ['words in hex of base64', Buffer.from(Buffer.from(words).toString('base64')).toString('hex')],
    ['words with dashes', 'replace-me-with-a-real-secret-please'],
    ['words without spaces', 'correcthorsebatterystaplecorrect'],
    ['words in camel case', 'MySuperSecretKeyForProduction2024'],
    ['words in capitals', 'THIS_IS_A_VERY_LONG_SECRET_FOR_JWT'],
    ['words with marks', '$ecretKey_ForMyApp_2024_DoNotShare'],
    ['words that are in no list', 'The quick brown fox jumps over the lazy dog'],
    ['words of another language', 'ceci-est-une-cle-secrete-tres-longue'],
    ['letters beyond ASCII', 'пароль-пароль-пароль'],
    ['letters beyond ASCII as bytes', Buffer.from('très secrète, la clé de mon application')],
    ['letters beyond ASCII in base64', Buffer.from('пароль-пароль-пароль').toString('base64')],
  ])('returns true for %s', (_, key) => {
    expect(isGuessable(key)).toBe(true);
  });
});
