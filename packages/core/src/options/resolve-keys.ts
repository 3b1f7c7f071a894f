import { randomBytes } from 'node:crypto';
import type { KeyOptions } from '../auth-options.ts';
import { ConfigError } from '../errors.ts';
import { createSecretRing, type SecretRing } from '../keys/secret-ring.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { createSigningKeys, type SigningKeys } from '../keys/signing-keys.ts';
import type { Clock } from '../ports/clock.ts';
import { warn } from '../ports/warning.ts';
import type { Environment } from './environment.ts';

export interface ResolvedKeys {
  readonly signingKeys: SigningKeys;
  readonly secrets: SecretRing;
}

/**
 * Reads the keys; in development makes what is absent, for this process alone.
 *
 * @throws {ConfigError} `keys_missing` in production, and the codes for a key that is given and wrong
 */
export function resolveKeys(
  keys: KeyOptions = {},
  environment: Environment,
  clock: Clock,
): ResolvedKeys {
  const { signing, refreshSecrets } = keys;
  const absent = [
    ...(signing === undefined ? ['keys.signing'] : []),
    ...(refreshSecrets === undefined ? ['keys.refreshSecrets'] : []),
  ].join(' and ');
  if (absent !== '' && environment === 'production') {
    throw new ConfigError(
      'keys_missing',
      `${absent} must be given, unless environment or NODE_ENV says development: tokens have to outlive this process and be read by the others`,
    );
  }
  if (absent !== '') {
    warn('LATCHHOOK_KEYS', `${absent} made at start: every login ends with this process`);
  }
  return {
    // `null` is not absent: it is refused where keys are read.
    signingKeys: createSigningKeys(
      asList(signing === undefined ? generateSigningKey('ES256') : signing),
      clock,
    ),
    secrets: createSecretRing(refreshSecrets === undefined ? [randomBytes(32)] : refreshSecrets),
  };
}

function asList<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}
