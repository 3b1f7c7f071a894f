import { createHash, hkdfSync } from 'node:crypto';
import { ConfigError, type ConfigErrorCode } from '../errors.ts';
import { MAKE_A_KEY } from './is-guessable.ts';

/** The minimum length of a secret: a shorter one would weaken the MAC (RFC 2104 3). */
const MIN_SECRET_BYTES = 32;

/** The name of the option that lists the secrets, and the error codes of its mistakes. */
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

/** Identifies a secret in a token without revealing anything about the secret. */
export type SecretId = number;

/** Several secrets: the newest signs or encrypts, all of them verify or decrypt. */
export interface SecretRing {
  /** The ids of all secrets, newest first. */
  readonly ids: readonly SecretId[];
  readonly newest: SecretId;
  /** The key that is derived from a secret for a purpose; `undefined` if the secret is not in the ring. */
  keyFor(id: SecretId, purpose: string): Buffer | undefined;
}

/**
 * @param secrets - newest first, each of at least 32 bytes; a string counts as its UTF-8 bytes
 * @throws {ConfigError} `refresh_secret_missing`, `refresh_secret_too_short`, `refresh_secret_duplicate`, or the codes
 * of `names`
 */
export function createSecretRing(
  secrets: readonly (string | Uint8Array)[],
  names: RingNames = REFRESH_SECRETS,
): SecretRing {
  // A single secret is a mistake: a string is iterable, and would be read as a list of secrets of one letter.
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
  const keys = new Map<string, Buffer>();
  return {
    ids: [...ring.keys()],
    newest,
    keyFor(id, purpose) {
      const name = `${id}.${purpose}`;
      const cachedKey = keys.get(name);
      if (cachedKey !== undefined) return cachedKey;
      const secret = ring.get(id);
      if (secret === undefined) return undefined;
      const key = Buffer.from(hkdfSync('sha256', secret, '', `latchhook ${purpose}`, 32));
      keys.set(name, key);
      return key;
    },
  };
}

/** Accepts `unknown`, because an unset environment variable is `undefined` in spite of its type. */
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
  throw mistake(names, 'tooShort', `every secret needs ${MIN_SECRET_BYTES} bytes; ${MAKE_A_KEY}`);
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
