import { randomBytes } from 'node:crypto';
import type { KeyOptions } from '../auth-options.ts';
import { ConfigError } from '../errors.ts';
import { createSecretRing, type RingNames, type SecretRing } from '../keys/secret-ring.ts';
import { warn } from '../ports/warning.ts';
import type { Environment } from './environment.ts';

const ENCRYPTION_KEYS: RingNames = {
  option: 'keys.encryption',
  missing: 'encryption_key_missing',
  tooShort: 'encryption_key_too_short',
  duplicate: 'encryption_key_duplicate',
};

/**
 * Reads the encryption keys; in development makes one where none is given, for this process alone.
 *
 * @throws {ConfigError} `keys_missing` in production, and what {@link createEncryptionRing} throws
 */
export function resolveEncryption(
  { encryption }: KeyOptions = {},
  environment: Environment,
): SecretRing {
  if (encryption !== undefined) return createEncryptionRing(encryption);
  if (environment === 'production') {
    throw new ConfigError(
      'keys_missing',
      'keys.encryption must be given where webhooks or mfa.enrolment is, unless environment or NODE_ENV says development: what it encrypts has to outlive this process and be read by the others',
    );
  }
  warn(
    'LATCHHOOK_KEYS',
    'keys.encryption made at start: webhooks and second factors of today are of no use once this process has ended',
  );
  return createEncryptionRing([randomBytes(32)]);
}

/**
 * Makes the ring of encryption keys.
 *
 * @throws {ConfigError} `encryption_key_missing`, `encryption_key_too_short`, `encryption_key_duplicate`
 */
export function createEncryptionRing(keys: readonly (string | Uint8Array)[]): SecretRing {
  return createSecretRing(keys, ENCRYPTION_KEYS);
}
