import { createHash, hkdfSync } from 'node:crypto';
import { ConfigError, type ConfigErrorCode } from '../errors.ts';
import { MAKE_A_KEY } from './is-guessable.ts';

/** The shortest secret that is accepted, in bytes: a shorter one would weaken the MAC (RFC 2104 3). */
const MIN_SECRET_BYTES = 32;

/** How errors name a list of secrets, and which codes they have. */
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

/** Names a secret inside a token without revealing anything about it. */
export type SecretId = number;

/** Secrets that sign or encrypt: the newest does so, and each verifies or decrypts what it has signed or encrypted. */
export interface SecretRing {
  /** Of all secrets, newest first. */
  readonly ids: readonly SecretId[];
  readonly newest: SecretId;
  /** The key of one secret for one purpose, or `undefined` where the secret is not in the ring (any more). */
  keyFor(id: SecretId, purpose: string): Buffer | undefined;
}

/**
 * @param secrets - newest first, each at least 32 bytes; of a string, its UTF-8 bytes count.
 * @throws {ConfigError} `refresh_secret_missing`, `refresh_secret_too_short`, `refresh_secret_duplicate`, or the codes
 * of `names`
 */
export function createSecretRing(
  secrets: readonly (string | Uint8Array)[],
  names: RingNames = REFRESH_SECRETS,
): SecretRing {
  // A string is iterable too: a single secret would be read as a list of one-letter secrets.
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
    ids: [...ring.keys()],
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

/** The type allows nothing else, but an unset environment variable is `undefined` all the same. */
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
