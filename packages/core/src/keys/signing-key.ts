import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKeyInput,
  KeyObject,
} from 'node:crypto';
import { ConfigError } from '../errors.ts';
import { isGuessable } from './is-guessable.ts';
import { jwkThumbprint } from './jwk-thumbprint.ts';
import { privateBytes } from './private-bytes.ts';

/** The algorithms of access tokens. The kind of the key (P-256, Ed25519, RSA) determines the algorithm. */
export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'RS256';

/** A private key: PEM (PKCS #8, SEC 1 or PKCS #1, unencrypted), a private JWK, or a `KeyObject` of Node.js. */
export type SigningKeyMaterial =
  // `JsonWebKeyInput['key']`, because newer versions of `@types/node` do not export `JsonWebKey` from `node:crypto`.
  string | JsonWebKeyInput['key'] | KeyObject;

/** A key that verifies signatures, with the only algorithm that it may be used with. */
export interface VerificationKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
  /** The length of a signature by this key. */
  readonly signatureBytes: number;
}

/** A key of a JWK set (RFC 7517). Has public members only. */
export interface PublicJwk {
  readonly kty: string;
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly use: 'sig';
  readonly [member: string]: unknown;
}

const RSA_MIN_BITS = 2048;

type KeySource = string | { readonly key: JsonWebKeyInput['key']; readonly format: 'jwk' };

/**
 * Reads one private key.
 *
 * @throws {ConfigError} `signing_key_missing`, `signing_key_unreadable`, `signing_key_public`,
 * `signing_key_unsupported`, `signing_key_weak`
 */
export function readSigningKey(material: SigningKeyMaterial): SigningKey {
  const privateKey = toPrivateKey(material);
  const alg = algorithmOf(privateKey);
  assertDeclaredUse(material, alg);
  assertRandom(privateKey);
  const publicKey = toPublicKey(privateKey);
  const members = publicKey.export({ format: 'jwk' });
  const kid = jwkThumbprint(members);
  const publicJwk = { ...members, kty: String(members.kty), kid, alg, use: 'sig' } as const;
  return {
    kid,
    alg,
    privateKey,
    publicKey,
    publicJwk,
    signatureBytes: signatureBytesOf(privateKey),
  };
}

/** 64 for ES256 (RFC 7518 3.4) and EdDSA (RFC 8032 5.1.6); the length of the modulus for RSA (RFC 8017 8.2.1). */
function signatureBytesOf(privateKey: KeyObject): number {
  const { modulusLength } = privateKey.asymmetricKeyDetails ?? {};
  return modulusLength === undefined ? 64 : Math.ceil(modulusLength / 8);
}

/**
 * The public key, parsed again from its DER so that the copy shares no lock with the job that generated the key. Node
 * holds a lock on a key while it exports a JWK. If the garbage collector destroys that job at this moment, the job
 * waits for the same lock, and the process deadlocks.
 */
function toPublicKey(privateKey: KeyObject): KeyObject {
  const spki = { type: 'spki', format: 'der' } as const;
  return createPublicKey({ ...spki, key: createPublicKey(privateKey).export(spki) });
}

/** Generates a private key: for development, where a restart may end every session. */
export function generateSigningKey(alg: SigningAlgorithm = 'ES256'): KeyObject {
  switch (alg) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    case 'EdDSA':
      return generateKeyPairSync('ed25519').privateKey;
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: RSA_MIN_BITS }).privateKey;
  }
}

function toPrivateKey(material: SigningKeyMaterial): KeyObject {
  // An unset environment variable is `undefined` in spite of the type.
  if (material === undefined || material === null || material === '') {
    throw new ConfigError(
      'signing_key_missing',
      'A signing key is empty. Is the variable or file that it comes from set? Give a private key as PEM, as JWK or as KeyObject.',
    );
  }
  if (material instanceof KeyObject) {
    if (material.type === 'private') return material;
    throw material.type === 'public' ? publicKeyGiven() : unsupported('a secret key');
  }
  const input: KeySource =
    typeof material === 'string' ? material.trim() : { key: material, format: 'jwk' };
  try {
    return createPrivateKey(input);
  } catch {
    // Without the cause: the error of OpenSSL does not help with a damaged key, and might contain a part of the key.
    throw isPublicKey(input) ? publicKeyGiven() : unreadable();
  }
}

function algorithmOf(privateKey: KeyObject): SigningAlgorithm {
  const { namedCurve, modulusLength = 0 } = privateKey.asymmetricKeyDetails ?? {};
  switch (privateKey.asymmetricKeyType) {
    case 'ec':
      if (namedCurve !== 'prime256v1') throw unsupported(`a key on the curve ${namedCurve}`);
      return 'ES256';
    case 'ed25519':
      return 'EdDSA';
    case 'rsa':
      if (modulusLength >= RSA_MIN_BITS) return 'RS256';
      throw new ConfigError(
        'signing_key_weak',
        `A signing key is RSA of ${modulusLength} bit. Use at least ${RSA_MIN_BITS} bit, or better a P-256 key.`,
      );
    default:
      throw unsupported(`of the type ${privateKey.asymmetricKeyType}`);
  }
}

function assertRandom(privateKey: KeyObject): void {
  const bytes = privateBytes(privateKey);
  if (bytes === null || !isGuessable(bytes)) return;
  throw new ConfigError(
    'signing_key_weak',
    'A signing key is made of a pattern, not of random bytes. Make one with openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256.',
  );
}

/** A JWK may declare its algorithm and its use: a JWK for another purpose is a mistake of the integrator. */
function assertDeclaredUse(material: SigningKeyMaterial, alg: SigningAlgorithm): void {
  if (typeof material === 'string' || material instanceof KeyObject) return;
  const { alg: declaredAlg = alg, use = 'sig' } = material;
  if (declaredAlg !== alg) throw unsupported(`a JWK with "alg" other than ${alg}`);
  if (use !== 'sig') throw unsupported('a JWK with "use" other than "sig"');
}

function isPublicKey(input: KeySource): boolean {
  try {
    createPublicKey(input);
    return true;
  } catch {
    return false;
  }
}

function publicKeyGiven(): ConfigError {
  return new ConfigError(
    'signing_key_public',
    'A signing key is a public key. Give the private one; the public half is derived from it and published.',
  );
}

function unreadable(): ConfigError {
  return new ConfigError(
    'signing_key_unreadable',
    'A signing key cannot be read. Give an unencrypted private key as PEM text ("-----BEGIN PRIVATE KEY-----", with its line breaks) or as a complete private JWK.',
  );
}

function unsupported(what: string): ConfigError {
  return new ConfigError(
    'signing_key_unsupported',
    `A signing key is ${what}. Use a P-256 key (ES256), an Ed25519 key (EdDSA) or an RSA key (RS256).`,
  );
}
