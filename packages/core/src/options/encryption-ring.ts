import { createSecretRing, type RingNames, type SecretRing } from '../keys/secret-ring.ts';

const ENCRYPTION_KEYS: RingNames = {
  option: 'keys.encryption',
  missing: 'encryption_key_missing',
  tooShort: 'encryption_key_too_short',
  duplicate: 'encryption_key_duplicate',
};

/**
 * Makes the ring of encryption keys.
 *
 * @throws {ConfigError} `encryption_key_missing`, `encryption_key_too_short`, `encryption_key_duplicate`
 */
export function createEncryptionRing(keys: readonly (string | Uint8Array)[]): SecretRing {
  return createSecretRing(keys, ENCRYPTION_KEYS);
}
