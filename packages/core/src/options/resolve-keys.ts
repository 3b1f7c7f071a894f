import { randomBytes } from 'node:crypto';
import type { KeyOptions } from '../auth-options.ts';
import { ConfigError } from '../errors.ts';
import { createSecretRing, type SecretRing } from '../keys/secret-ring.ts';
import { generateSigningKey } from '../keys/signing-key.ts';
import { createSigningKeys, type SigningKeys } from '../keys/signing-keys.ts';
import type { Clock } from '../ports/clock.ts';
import { warn } from '../warning.ts';
import { assertKeysDiffer } from './assert-keys-differ.ts';
import { assertRandomKeys } from './assert-random-keys.ts';
import { createEncryptionRing, noEncryptionKeys } from './encryption-ring.ts';
import type { Environment } from './environment.ts';

export interface ResolvedKeys {
  readonly signingKeys: SigningKeys;
  readonly secrets: SecretRing;
  /** Whether there are keys to encrypt secrets at rest: given ones, or generated ones that this process needs. */
  readonly canEncrypt: boolean;
  readonly encryption: SecretRing;
}

/** The conditions that decide which keys must be given. */
export interface ResolveKeysDeps {
  readonly environment: Environment;
  readonly clock: Clock;
  /** Whether this process encrypts secrets at rest, for enrolment or webhooks. */
  readonly mustEncrypt: boolean;
}

/**
 * Reads the keys; in development generates missing ones, only for this process.
 *
 * @throws {ConfigError} `keys_missing` in production, `keys_reused`, and the codes for an invalid key
 */
export function resolveKeys(
  keys: KeyOptions = {},
  { environment, clock, mustEncrypt }: ResolveKeysDeps,
): ResolvedKeys {
  const { signing, refreshSecrets, encryption } = keys;
  assertKeysGiven(keys, environment, mustEncrypt);
  // `null` is not absent: the functions that read keys reject it.
  const signingKeys = createSigningKeys(
    asList(signing === undefined ? generateSigningKey('ES256') : signing),
    clock,
  );
  const secrets = createSecretRing(
    refreshSecrets === undefined ? [randomBytes(32)] : refreshSecrets,
  );
  assertRandomKeys('keys.refreshSecrets', 'refresh_secret_weak', refreshSecrets ?? []);
  assertKeysDiffer([
    { option: 'keys.signing', keys: signingKeys.privateKeys() },
    { option: 'keys.refreshSecrets', keys: refreshSecrets ?? [] },
    { option: 'keys.encryption', keys: comparableKeys(encryption) },
  ]);
  return {
    signingKeys,
    secrets,
    canEncrypt: mustEncrypt || encryption !== undefined,
    encryption: encryptionRing(encryption, mustEncrypt),
  };
}

function encryptionRing(keys: KeyOptions['encryption'], mustEncrypt: boolean): SecretRing {
  if (keys !== undefined) return createEncryptionRing(keys);
  return mustEncrypt ? createEncryptionRing([randomBytes(32)]) : noEncryptionKeys;
}

/** Rejects absent keys in production. In development, warns that they are generated, and what that loses. */
function assertKeysGiven(
  { signing, refreshSecrets, encryption }: KeyOptions,
  environment: Environment,
  mustEncrypt: boolean,
): void {
  const absent: string[] = [];
  const losses: string[] = [];
  if (signing === undefined) absent.push('keys.signing');
  if (refreshSecrets === undefined) absent.push('keys.refreshSecrets');
  if (absent.length > 0) losses.push('all logins');
  if (mustEncrypt && encryption === undefined) {
    absent.push('keys.encryption');
    losses.push('the secrets of webhooks and second factors');
  }
  if (absent.length === 0) return;
  if (environment === 'production') {
    throw new ConfigError(
      'keys_missing',
      `${joinNames(absent)} must be given, unless environment or NODE_ENV says development: tokens, and what webhooks and mfa.enrolment store, have to outlive this process and be read by the others`,
    );
  }
  warn(
    'LATCHHOOK_KEYS',
    `${joinNames(absent)} made at start: ${joinNames(losses)} are of no use after this process`,
  );
}

/** Leaves out malformed keys: the creation of the ring rejects them. */
function comparableKeys(keys: KeyOptions['encryption']): readonly (string | Uint8Array)[] {
  if (!Array.isArray(keys)) return [];
  return keys.filter(
    (key: unknown): key is string | Uint8Array =>
      typeof key === 'string' || key instanceof Uint8Array,
  );
}

/** Not by `Intl.ListFormat`, which loads the data of ICU, and would double the time of every start. */
function joinNames(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

function asList<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}
