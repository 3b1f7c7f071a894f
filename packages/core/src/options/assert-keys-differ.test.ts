import { createPrivateKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateSigningKey } from '../keys/signing-key.ts';
import { assertKeysDiffer } from './assert-keys-differ.ts';

type Key = string | Uint8Array;

const bytes = randomBytes(32);
const SPELLINGS: Readonly<Record<string, Key>> = {
  bytes,
  hex: bytes.toString('hex'),
  'hex in capitals': bytes.toString('hex').toUpperCase(),
  base64: bytes.toString('base64'),
  base64url: bytes.toString('base64url'),
  'base64 in a file': Buffer.from(`${bytes.toString('base64')}\n`),
  'base64 of base64': Buffer.from(bytes.toString('base64')).toString('base64'),
};

function compare(refresh: readonly Key[], encryption: readonly Key[]) {
  return () =>
    assertKeysDiffer([
      { option: 'keys.refreshSecrets', keys: refresh },
      { option: 'keys.encryption', keys: encryption },
    ]);
}

describe('keys of two purposes', () => {
  const pairs = Object.keys(SPELLINGS).flatMap((spelling) =>
    Object.keys(SPELLINGS).map((otherSpelling) => [spelling, otherSpelling] as const),
  );

  it.each(pairs)(
    'are rejected with keys_reused if equal, written as %s and as %s',
    (spelling, otherSpelling) => {
      const [key = '', sameKey = ''] = [SPELLINGS[spelling], SPELLINGS[otherSpelling]];
      // Each list has another key too because keys that were replaced stay in their lists.
      const reject = compare([randomBytes(32), key], [randomBytes(32), sameKey]);
      expect(reject).toThrow(
        expect.objectContaining({
          code: 'keys_reused',
          message: expect.stringMatching(
            /^keys.refreshSecrets and keys.encryption have a key in common.* openssl rand -base64 32/,
          ),
        }),
      );
    },
  );

  it('are accepted if one purpose has a key in two spellings', () => {
    expect(compare([bytes, bytes.toString('base64')], [randomBytes(32)])).not.toThrow();
  });

  it.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'are rejected with keys_reused if one is the %s signing key',
    (alg) => {
      const signing = generateSigningKey(alg);
      const pem = signing.export({ type: 'pkcs8', format: 'pem' }).toString();
      const der = signing.export({ type: 'pkcs8', format: 'der' });
      for (const key of [pem, ` ${pem}`, Buffer.from(pem), der, der.toString('base64')]) {
        expect(() =>
          assertKeysDiffer([
            { option: 'keys.signing', keys: [signing] },
            { option: 'keys.encryption', keys: [key] },
          ]),
        ).toThrow(expect.objectContaining({ code: 'keys_reused' }));
      }
    },
  );

  it('are rejected with keys_reused if one is the private number `d` of the signing key', () => {
    const signing = generateSigningKey('ES256');
    const { d = '' } = signing.export({ format: 'jwk' });
    expect(() =>
      assertKeysDiffer([
        {
          option: 'keys.signing',
          keys: [createPrivateKey(signing.export({ type: 'sec1', format: 'pem' }))],
        },
        { option: 'keys.refreshSecrets', keys: [Buffer.from(d, 'base64url')] },
      ]),
    ).toThrow(expect.objectContaining({ code: 'keys_reused' }));
  });

  it('are not quoted in the error keys_reused', () => {
    const text = bytes.toString('base64');
    let message = '';
    try {
      compare([bytes], [text])();
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('keys_reused');
    expect(message).not.toContain(text);
    expect(message).not.toContain(bytes.toString('hex'));
  });
});
