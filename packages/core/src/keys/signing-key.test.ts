import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  KeyObject,
} from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../errors.ts';
import { generateSigningKey, readSigningKey, type SigningKeyMaterial } from './signing-key.ts';

const p256 = generateSigningKey('ES256');
const pem = String(p256.export({ type: 'pkcs8', format: 'pem' }));

function configErrorCode(material: unknown): string {
  try {
    readSigningKey(material as SigningKeyMaterial);
  } catch (error) {
    if (error instanceof ConfigError) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('readSigningKey', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'detects the algorithm %s from the key, with the thumbprint that jose calculates',
    async (alg) => {
      const key = generateSigningKey(alg);
      const signingKey = readSigningKey(key);
      expect(signingKey.alg).toBe(alg);
      expect(signingKey.publicKey.type).toBe('public');
      const thumbprint = await calculateJwkThumbprint(key.export({ format: 'jwk' }), 'sha256');
      expect(signingKey.kid).toBe(thumbprint);
    },
  );

  it('reads the same key from PEM, JWK and KeyObject', () => {
    const kids = [pem, p256.export({ format: 'jwk' }), p256].map((key) => readSigningKey(key).kid);
    expect(new Set(kids).size).toBe(1);
  });

  it('reads a PEM surrounded by white space', () => {
    expect(readSigningKey(`\n   \t${pem}  \n`).kid).toBe(readSigningKey(p256).kid);
  });

  it('returns a public JWK without private members', () => {
    for (const alg of ['ES256', 'EdDSA', 'RS256'] as const) {
      const { publicJwk, kid } = readSigningKey(generateSigningKey(alg));
      expect(publicJwk).toMatchObject({ kid, alg, use: 'sig' });
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) {
        expect(publicJwk).not.toHaveProperty(secret);
      }
    }
  });

  it.each([
    ['an unset variable', undefined, 'signing_key_missing'],
    ['an empty variable', '', 'signing_key_missing'],
    ['a PEM without its line breaks', pem.replaceAll('\n', ' '), 'signing_key_unreadable'],
    ['text that is not a key', 'secret', 'signing_key_unreadable'],
    [
      'an encrypted PEM',
      p256.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
      'signing_key_unreadable',
    ],
    ['a public KeyObject', createPublicKey(p256), 'signing_key_public'],
    [
      'a public PEM',
      createPublicKey(p256).export({ type: 'spki', format: 'pem' }),
      'signing_key_public',
    ],
    ['a public JWK', createPublicKey(p256).export({ format: 'jwk' }), 'signing_key_public'],
    ['a secret', createSecretKey(Buffer.alloc(32)), 'signing_key_unsupported'],
    ['a symmetric JWK', { kty: 'oct', k: 'AAAA' }, 'signing_key_unreadable'],
    [
      'RSA of 1024 bit',
      generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
      'signing_key_weak',
    ],
    [
      'a constant seed',
      createPrivateKey({
        key: Buffer.concat([
          Buffer.from('302e020100300506032b657004220420', 'hex'),
          Buffer.alloc(32, 7),
        ]),
        format: 'der',
        type: 'pkcs8',
      }),
      'signing_key_weak',
    ],
    [
      'the curve P-384',
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
      'signing_key_unsupported',
    ],
    ['Ed448', generateKeyPairSync('ed448').privateKey, 'signing_key_unsupported'],
    [
      'a JWK of another algorithm',
      { ...p256.export({ format: 'jwk' }), alg: 'ES384' },
      'signing_key_unsupported',
    ],
    [
      'a JWK for encryption',
      { ...p256.export({ format: 'jwk' }), use: 'enc' },
      'signing_key_unsupported',
    ],
  ])('throws a ConfigError for %s', (_, material, code) => {
    expect(configErrorCode(material)).toBe(code);
  });

  it('quotes no key material in the error for a damaged key', () => {
    const damaged = pem.replace(/[A-Z]{4}/, '!!!!');
    const secretLine = pem.split('\n')[2] ?? '';
    expect(secretLine).not.toBe('');
    expect(() => readSigningKey(damaged)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secretLine) }),
    );
  });
});

describe('generateSigningKey', () => {
  it('returns a new private key at every call', () => {
    const key = generateSigningKey();
    expect(key).toBeInstanceOf(KeyObject);
    expect(key.equals(generateSigningKey())).toBe(false);
  });
});
