import { describe, expect, it } from 'vitest';
import { assertHoldsNoSecrets } from './assert-holds-no-secrets.ts';

const secret = 'correct horse ünï battery?>~staple';
const dumps: Record<string, string> = {
  'plain text': `user\n${secret}\n0`,
  'plain text as latin-1': Buffer.from(secret).toString('latin1'),
  base64: Buffer.from(secret).toString('base64'),
  base64url: Buffer.from(secret).toString('base64url'),
  hex: Buffer.from(secret).toString('hex'),
  'upper-case hex': Buffer.from(secret).toString('hex').toUpperCase(),
  'base64 of something longer, by one byte': Buffer.from(`.${secret}...`).toString('base64'),
  'base64 of something longer, by two bytes': Buffer.from(`..${secret}..`).toString('base64'),
  'base64url of JSON': Buffer.from(JSON.stringify({ secret })).toString('base64url'),
};

describe('assertHoldsNoSecrets', () => {
  for (const [form, dump] of Object.entries(dumps)) {
    it(`finds a secret in ${form}`, () => {
      expect(() => assertHoldsNoSecrets(dump, ['not in there', secret])).toThrow(/^secret 1 is at/);
    });
  }

  it('names the secret by its index, and prints it nowhere', () => {
    expect(() => assertHoldsNoSecrets(secret, [secret])).toThrow(
      expect.objectContaining({ message: 'secret 0 is at rest in plain text' }),
    );
  });

  it('takes what is not there for absent, and a hash for something else', () => {
    const dump = Object.values(dumps).join('\n');
    assertHoldsNoSecrets(dump, ['Correct horse battery staple', 'another secret']);
  });

  it('declines to look for what would be found by chance', () => {
    expect(() => assertHoldsNoSecrets('', ['123456'])).toThrow('secret 0 is too short');
  });
});
