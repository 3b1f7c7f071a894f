import type { Argon2Hasher } from './argon2-hash.ts';
import { ARGON2ID_PREFIX } from './argon2-phc.ts';
import type { ComparePassword, HashComparison, PasswordComparison } from './password-comparison.ts';
import { normalizePassword, type PasswordNormalization } from './password-text.ts';
import type { PasswordScheme, SchemeAnswer } from './schemes/password-scheme.ts';
import { warnOfUnknownHash } from './warn-of-unknown-hash.ts';

export interface StoredHashComparisonDeps {
  readonly argon2: Argon2Hasher;
  readonly schemes: readonly PasswordScheme[];
  readonly normalization: PasswordNormalization;
}

/**
 * Compares passwords with stored hashes.
 *
 * Security: a user who cannot log in with any password (unknown, disabled, no hash, an unusable hash) costs exactly one
 * argon2id hash with today's parameters, the same as a wrong password, so that the timing does not tell them apart.
 */
export interface StoredHashComparison {
  /** Compares with `User.passwordHash`. */
  readonly compareUser: ComparePassword;
  /** Compares with one hash. `null`: there is no hash. */
  compareHash(hash: string | null, password: string): Promise<HashComparison>;
}

export function createStoredHashComparison(deps: StoredHashComparisonDeps): StoredHashComparison {
  const { argon2, schemes, normalization } = deps;

  async function rejectAtFullCost<Reason extends MismatchReason>(
    reason: Reason,
    password: string,
  ): Promise<{ readonly outcome: 'mismatch'; readonly reason: Reason }> {
    await argon2.verify(argon2.dummy, normalizePassword(password, normalization));
    return { outcome: 'mismatch', reason };
  }

  async function verifyHash(hash: string, password: string): Promise<SchemeAnswer> {
    if (hash.startsWith(ARGON2ID_PREFIX)) {
      return argon2.verify(hash, normalizePassword(password, normalization));
    }
    const scheme = schemes.find((candidate) => candidate.recognises(hash));
    if (scheme === undefined) {
      warnOfUnknownHash(hash);
      return 'unusable';
    }
    // The password is not normalized: the code that made the hash did not normalize it either.
    return verifyByScheme(scheme, hash, password);
  }

  async function compareHash(hash: string | null, password: string): Promise<HashComparison> {
    // `typeof`, because a user store without types may leave the hash out.
    if (typeof hash !== 'string') return rejectAtFullCost('unusable_hash', password);
    switch (await verifyHash(hash, password)) {
      case 'exact_match':
        return { outcome: 'match', needsRehash: argon2.isOutdated(hash) };
      // No rehash: the user may have chosen another password than the typed one, and a new hash would reject theirs.
      case 'match':
        return { outcome: 'match', needsRehash: false };
      case 'mismatch':
        return { outcome: 'mismatch', reason: 'wrong_password' };
      // `unusable`, or any other value that a scheme without types may return.
      default:
        return rejectAtFullCost('unusable_hash', password);
    }
  }

  return {
    compareHash,
    async compareUser(user, password) {
      if (user === null) return rejectAtFullCost('unknown_user', password);
      if (user.disabled) return rejectAtFullCost('disabled', password);
      return compareHash(user.passwordHash, password);
    },
  };
}

type MismatchReason = Extract<PasswordComparison, { readonly outcome: 'mismatch' }>['reason'];

async function verifyByScheme(
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
