import { createHash, hkdfSync } from 'node:crypto';
import { ConfigError } from '../errors.ts';

/** Shortest secret that is taken, in bytes: the strength of the MAC that it makes (RFC 2104 3). */
const MIN_SECRET_BYTES = 32;

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
 * @throws {ConfigError} `secrets_missing`, `secret_too_short`, `secrets_equal`
 */
export function createSecretRing(secrets: readonly (string | Uint8Array)[]): SecretRing {
  const ring = new Map<SecretId, Buffer>();
  let newest: SecretId | undefined;
  for (const secret of secrets) {
    const bytes = Buffer.from(secret);
    if (bytes.length < MIN_SECRET_BYTES) {
      throw new ConfigError(
        'secret_too_short',
        `keys.refreshSecrets: every secret needs ${MIN_SECRET_BYTES} bytes; make one with crypto.randomBytes(32)`,
      );
    }
    const id = secretId(bytes);
    if (ring.has(id)) {
      throw new ConfigError('secrets_equal', 'keys.refreshSecrets: name every secret once');
    }
    ring.set(id, bytes);
    newest ??= id;
  }
  if (newest === undefined) {
    throw new ConfigError('secrets_missing', 'keys.refreshSecrets: give one secret at least');
  }
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

function secretId(secret: Buffer): SecretId {
  return createHash('sha256').update('latchhook secret id').update(secret).digest().readUInt32BE(0);
}
