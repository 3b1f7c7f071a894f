import { createHash, hkdfSync } from 'node:crypto';
import { ConfigError, type ConfigErrorCode } from '../errors.ts';

/** Shortest secret that is taken, in bytes: the strength of the MAC that it makes (RFC 2104 3). */
const MIN_SECRET_BYTES = 32;

/** How mistakes in a list of secrets are told of. */
export interface RingNames {
  readonly option: string;
  readonly missing: ConfigErrorCode;
  readonly tooShort: ConfigErrorCode;
  readonly duplicate: ConfigErrorCode;
}

const REFRESH_SECRETS: RingNames = {
  option: 'keys.refreshSecrets',
  missing: 'refresh_secret_missing',
  tooShort: 'refresh_secret_too_short',
  duplicate: 'refresh_secret_duplicate',
};

/** Names a secret inside a token without telling anything of it. */
export type SecretId = number;

/** Secrets that seal tokens: the newest seals what is new, all of them open what they sealed. */
export interface SecretRing {
  readonly newest: SecretId;
  /** The key of one secret for one purpose, or `undefined` where the secret is not in the ring (any more). */
  keyFor(id: SecretId, purpose: string): Buffer | undefined;
}

/**
 * @param secrets newest first, each 32 bytes at least; a string counts in UTF-8.
 * @throws {ConfigError} `refresh_secret_missing`, `refresh_secret_too_short`, `refresh_secret_duplicate`, or
 * what `names` has in their place
 */
export function createSecretRing(
  secrets: readonly (string | Uint8Array)[],
  names: RingNames = REFRESH_SECRETS,
): SecretRing {
  // A string is iterable too: a single secret would be read as secrets of one letter.
  if (!Array.isArray(secrets)) {
    throw mistake(names, 'missing', 'give a list, such as [newSecret, oldSecret]');
  }
  const ring = new Map<SecretId, Buffer>();
  let newest: SecretId | undefined;
  for (const secret of secrets) {
    const bytes = bytesOf(secret, names);
    const id = secretId(bytes);
    if (ring.has(id)) throw mistake(names, 'duplicate', 'name every secret once');
    ring.set(id, bytes);
    newest ??= id;
  }
  if (newest === undefined) throw mistake(names, 'missing', 'give one secret at least');
  const derived = new Map<string, Buffer>();
  return {
    newest,
    keyFor(id, purpose) {
      const name = `${id}.${purpose}`;
      const known = derived.get(name);
      if (known !== undefined) return known;
      const secret = ring.get(id);
      if (secret === undefined) return undefined;
      const key = Buffer.from(hkdfSync('sha256', secret, '', `latchhook ${purpose}`, 32));
      derived.set(name, key);
      return key;
    },
  };
}

/** The type forbids what is neither; an unset environment variable does not ask the type. */
function bytesOf(secret: unknown, names: RingNames): Buffer {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw mistake(
      names,
      'missing',
      'a secret is neither text nor bytes; is the variable or file that it comes from set?',
    );
  }
  const bytes = Buffer.from(secret);
  if (bytes.length >= MIN_SECRET_BYTES) return bytes;
  throw mistake(
    names,
    'tooShort',
    `every secret needs ${MIN_SECRET_BYTES} bytes; make one with crypto.randomBytes(32)`,
  );
}

function mistake(
  names: RingNames,
  kind: Exclude<keyof RingNames, 'option'>,
  what: string,
): ConfigError {
  return new ConfigError(names[kind], `${names.option}: ${what}`);
}

function secretId(secret: Buffer): SecretId {
  return createHash('sha256').update('latchhook secret id').update(secret).digest().readUInt32BE(0);
}
