import type { Argon2Hasher } from './argon2-hash.ts';
import { ARGON2ID_PREFIX } from './argon2-phc.ts';
import type { ComparePassword, PasswordComparison } from './password-comparison.ts';
import { normalizePassword, type PasswordNormalization } from './password-text.ts';
import type { PasswordScheme, SchemeAnswer } from './schemes/password-scheme.ts';
import { warnOfUnknownHash } from './warn-of-unknown-hash.ts';

export interface StoredHashComparisonDeps {
  readonly argon2: Argon2Hasher;
  readonly schemes: readonly PasswordScheme[];
  readonly normalization: PasswordNormalization;
}

/**
 * Compares with `User.passwordHash`.
 *
 * Security: a user who cannot log in with any password (unknown, disabled, no hash, an unusable one) costs exactly one
 * argon2id with today's parameters, as a wrong password does, so that the timing does not tell them apart.
 */
export function createStoredHashComparison(deps: StoredHashComparisonDeps): ComparePassword {
  const { argon2, schemes, normalization } = deps;

  async function refuseAtFullCost(
    reason: 'unknown_user' | 'disabled' | 'unusable_hash',
    password: string,
  ): Promise<PasswordComparison> {
    await argon2.verify(argon2.dummy, normalizePassword(password, normalization));
    return { outcome: 'mismatch', reason };
  }

  async function compare(hash: string, password: string): Promise<SchemeAnswer> {
    if (hash.startsWith(ARGON2ID_PREFIX)) {
      return argon2.verify(hash, normalizePassword(password, normalization));
    }
    const scheme = schemes.find((candidate) => candidate.recognises(hash));
    if (scheme === undefined) {
      warnOfUnknownHash(hash);
      return 'unusable';
    }
    // As it was typed: the team's own code made the hash of that.
    return verifyBy(scheme, hash, password);
  }

  return async (user, password) => {
    if (user === null) return refuseAtFullCost('unknown_user', password);
    if (user.disabled) return refuseAtFullCost('disabled', password);
    const hash = user.passwordHash;
    // Also where a directory without types leaves it out.
    if (typeof hash !== 'string') return refuseAtFullCost('unusable_hash', password);
    switch (await compare(hash, password)) {
      case 'match':
        return { outcome: 'match', needsRehash: argon2.isOutdated(hash) };
      case 'mismatch':
        return { outcome: 'mismatch', reason: 'wrong_password' };
      // `unusable`, and whatever a scheme without types may answer.
      default:
        return refuseAtFullCost('unusable_hash', password);
    }
  };
}

async function verifyBy(
  scheme: PasswordScheme,
  hash: string,
  password: string,
): Promise<SchemeAnswer> {
  try {
    return await scheme.verify(hash, password);
  } catch (cause) {
    throw new Error(`The password scheme ${scheme.name} failed`, { cause });
  }
}
