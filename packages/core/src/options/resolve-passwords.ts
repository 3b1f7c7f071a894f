import type { AccountId } from '../account-id.ts';
import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import type { Argon2Parameters } from '../passwords/argon2-hash.ts';
import { ARGON2_CAPS } from '../passwords/argon2-phc.ts';
import type { PasswordOptions, PasswordSettings } from '../passwords/password-options.ts';
import type { UserStore } from '../users/users.ts';
import { boundedOptions } from './bounded-options.ts';
import { defaultConcurrency } from './default-concurrency.ts';

/** The first choice of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes. */
const DEFAULT_ARGON2: Argon2Parameters = { memoryKib: 19_456, iterations: 2 };

/** OWASP's settings of equal strength. Memory and iterations must both reach the values of one of these. */
const OWASP_MINIMA: readonly Argon2Parameters[] = [
  { memoryKib: 47_104, iterations: 1 },
  DEFAULT_ARGON2,
  { memoryKib: 12_288, iterations: 3 },
  { memoryKib: 9_216, iterations: 4 },
  { memoryKib: 7_168, iterations: 5 },
];

/** Leaves 200 ms of the two seconds within which a 503 has to reach the client. */
const DEFAULT_MAX_WAIT_MS = 1_800;
/** The longest delay that Node's timers support, ms: longer ones fire immediately. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * @throws {ConfigError} `passwords_invalid`, `password_schemes_beside_verifier`, `limit_concurrency_without_verifier`,
 * `password_upgrade_impossible`, `argon2_too_weak`, `argon2_too_costly`, `option_out_of_bounds`
 */
export function resolvePasswords(
  passwords: PasswordOptions<AccountId> = {},
  users: Pick<UserStore, 'replacePasswordHash'> = {},
): PasswordSettings {
  assertTypes(passwords);
  assertNoContradiction(passwords);
  assertUpgradable(passwords, users);
  const { verifier, schemes = [], upgradeHashes = false } = passwords;
  const { limitConcurrency = true, normalization = 'NFC' } = passwords;
  const bounded = boundedOptions('passwords', passwords);
  return {
    verifier,
    schemes,
    upgradeHashes,
    limitConcurrency,
    normalization,
    ...resolveArgon2(passwords),
    concurrency: bounded('concurrency', defaultConcurrency(), [1]),
    maxWaitMs: bounded('maxWaitMs', DEFAULT_MAX_WAIT_MS, [0, LONGEST_WAIT_MS]),
  };
}

function assertTypes(passwords: PasswordOptions<AccountId>): void {
  const { verifier, schemes, upgradeHashes, limitConcurrency, normalization } = passwords;
  if (verifier !== undefined && typeof verifier !== 'function') {
    throw invalid('verifier must be a function of a user and a password');
  }
  if (schemes !== undefined && !(Array.isArray(schemes) && schemes.every(isScheme))) {
    throw invalid('schemes must be a list of schemes, such as [bcryptScheme({ compare })]');
  }
  if (upgradeHashes !== undefined && typeof upgradeHashes !== 'boolean') {
    throw invalid('upgradeHashes must be true or false');
  }
  if (limitConcurrency !== undefined && typeof limitConcurrency !== 'boolean')
    throw invalid('limitConcurrency must be true or false');
  if (normalization !== undefined && normalization !== 'NFC' && normalization !== 'none') {
    throw invalid("normalization must be 'NFC' or 'none'");
  }
}

function isScheme(scheme: unknown): boolean {
  return missingMethods('scheme', scheme, ['recognises', 'verify']).length === 0;
}

function invalid(rule: string): ConfigError {
  return new ConfigError('passwords_invalid', `passwords.${rule}`);
}

function assertNoContradiction({ verifier, schemes, limitConcurrency }: PasswordOptions): void {
  if (verifier !== undefined && schemes !== undefined) {
    throw new ConfigError(
      'password_schemes_beside_verifier',
      'passwords.verifier decides alone: leave out passwords.schemes, or passwords.verifier',
    );
  }
  if (verifier === undefined && limitConcurrency !== undefined) {
    throw new ConfigError(
      'limit_concurrency_without_verifier',
      'passwords.limitConcurrency belongs to passwords.verifier: our own hashes are always bounded; see passwords.concurrency',
    );
  }
}

function assertUpgradable(
  { upgradeHashes, verifier }: PasswordOptions,
  { replacePasswordHash }: Pick<UserStore, 'replacePasswordHash'>,
): void {
  if (!upgradeHashes) return;
  if (verifier !== undefined) {
    throw new ConfigError(
      'password_upgrade_impossible',
      'passwords.verifier decides instead of stored hashes: leave out passwords.upgradeHashes, or passwords.verifier',
    );
  }
  if (replacePasswordHash === undefined) {
    throw new ConfigError(
      'password_upgrade_impossible',
      'passwords.upgradeHashes needs users.replacePasswordHash, which writes the new hash if the old one is still there',
    );
  }
}

function resolveArgon2(passwords: PasswordOptions<AccountId>): Argon2Parameters {
  const { memoryKib = DEFAULT_ARGON2.memoryKib, iterations = DEFAULT_ARGON2.iterations } =
    passwords;
  const isStrongEnough =
    Number.isSafeInteger(memoryKib) &&
    Number.isSafeInteger(iterations) &&
    OWASP_MINIMA.some(
      (minimum) => memoryKib >= minimum.memoryKib && iterations >= minimum.iterations,
    );
  if (!isStrongEnough) {
    throw new ConfigError(
      'argon2_too_weak',
      "passwords.memoryKib and passwords.iterations must be integers that reach OWASP's minimum, 19456 and 2 (or 47104 and 1, 12288 and 3, 9216 and 4, 7168 and 5)",
    );
  }
  if (memoryKib > ARGON2_CAPS.memoryKib || iterations > ARGON2_CAPS.iterations) {
    throw new ConfigError(
      'argon2_too_costly',
      `passwords.memoryKib and passwords.iterations must be at most ${ARGON2_CAPS.memoryKib} and ${ARGON2_CAPS.iterations}`,
    );
  }
  return { memoryKib, iterations };
}
