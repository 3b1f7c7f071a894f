import { type AuthError, serverFault } from '../errors.ts';
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

/**
 * The ring of a process without `keys.encryption`, which needs a key only if it reads an encrypted secret. Then the
 * ring throws an error that names the missing option; a generated key would only fail to decrypt the secret.
 */
export const noEncryptionKeys: SecretRing = {
  ids: [],
  get newest(): never {
    throw keysMissing();
  },
  keyFor(): never {
    throw keysMissing();
  },
};

function keysMissing(): AuthError {
  return serverFault({
    reason:
      'the storage holds the second factor of a user, and keys.encryption was not given: give this process the keys of those where users enrolled',
  });
}
