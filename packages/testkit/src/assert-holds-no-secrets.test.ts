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
  'base64 of a longer text, shifted by one byte': Buffer.from(`.${secret}...`).toString('base64'),
  'base64 of a longer text, shifted by two bytes': Buffer.from(`..${secret}..`).toString('base64'),
  'base64url of JSON': Buffer.from(JSON.stringify({ secret })).toString('base64url'),
};

describe('assertHoldsNoSecrets', () => {
  for (const [form, dump] of Object.entries(dumps)) {
    it(`finds a secret in ${form}`, () => {
      expect(() => assertHoldsNoSecrets(dump, ['not in there', secret])).toThrow(/^secret 1 is at/);
    });
  }

  it('names a found secret by its index, and does not print it', () => {
    expect(() => assertHoldsNoSecrets(secret, [secret])).toThrow(
      expect.objectContaining({ message: 'secret 0 is at rest in plain text' }),
    );
  });

  it('passes if no secret is in the dump', () => {
    const dump = Object.values(dumps).join('\n');
    assertHoldsNoSecrets(dump, ['Correct horse battery staple', 'another secret']);
  });

  it('throws for a secret too short to search for', () => {
    expect(() => assertHoldsNoSecrets('', ['123456'])).toThrow('secret 0 is too short');
  });
});
