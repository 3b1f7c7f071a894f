import { createSecretRing, type RingNames, type SecretRing } from '../keys/secret-ring.ts';
import { assertRandomKeys } from './assert-random-keys.ts';

const ENCRYPTION_KEYS: RingNames = {
  option: 'keys.encryption',
  missing: 'encryption_key_missing',
  tooShort: 'encryption_key_too_short',
  duplicate: 'encryption_key_duplicate',
};

/**
 * Makes the ring of encryption keys.
 *
 * @throws {ConfigError} `encryption_key_missing`, `encryption_key_too_short`, `encryption_key_weak`,
 * `encryption_key_duplicate`
 */
export function createEncryptionRing(keys: readonly (string | Uint8Array)[]): SecretRing {
  const ring = createSecretRing(keys, ENCRYPTION_KEYS);
  assertRandomKeys(ENCRYPTION_KEYS.option, 'encryption_key_weak', keys);
  return ring;
}
