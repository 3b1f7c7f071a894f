import { addressPrefix } from '../throttle/address-prefix.ts';
import type { AnyUser } from '../users/users.ts';
import { type Argon2Compute, createArgon2Hasher } from './argon2-hash.ts';
import { type Busy, createHashLimiter, type HashLimiter } from './hash-limiter.ts';
import { createHostComparison } from './host-comparison.ts';
import type { HashComparison, PasswordOutcome } from './password-comparison.ts';
import type { PasswordSettings } from './password-options.ts';
import { checkNewPassword, checkPassword, normalizePassword } from './password-text.ts';
import { createStoredHashComparison } from './stored-hash-comparison.ts';

/** The result of hashing a new password. */
export type HashOutcome =
  | { readonly outcome: 'hashed'; readonly passwordHash: string }
  /** Not acceptable as a password; `message` is constant text. */
  | { readonly outcome: 'rejected'; readonly message: string }
  /** More passwords wait to be hashed than the machine can handle. Try again in a second. */
  | { readonly outcome: 'shed'; readonly reason: 'queue_full' | 'wait_too_long' };

/** The result of comparing a password with a stored hash. If it is `shed`, the password is neither right nor wrong. */
export type VerifyOutcome = HashComparison | Exclude<HashOutcome, { readonly outcome: 'hashed' }>;

type HashedPassword = Extract<HashOutcome, { readonly outcome: 'hashed' }>;

export type IdleHashOutcome = HashedPassword | Busy;

/**
 * Verifies passwords and hashes new ones, as many at once as the machine can handle.
 *
 * Concurrency: all methods share one limit; see {@link HashLimiter}. Security: no method keeps a password, or puts it
 * into an error.
 */
export interface PasswordVerifier {
  /**
   * Verifies a typed password that `checkPassword` has accepted, for the user that the user store found. Rejects if a
   * scheme or the host's verifier fails: the password is then neither right nor wrong.
   *
   * @param clientAddress - its network prefix is the fairness key; all clients without an address share one key
   */
  verify(
    user: AnyUser | null,
    password: string,
    clientAddress: string | null,
  ): Promise<PasswordOutcome>;
  /**
   * Verifies a password against one hash, `null` if there is none. Rejects if a scheme fails. All calls of the host
   * share one fairness key.
   */
  verifyHash(hash: string | null, password: string): Promise<VerifyOutcome>;
  /** Hashes a new password with today's parameters. All calls of the host share one fairness key. */
  hash(password: string): Promise<HashOutcome>;
  /** Hashes a password that has just matched, unless logins use all permits of the limiter. */
  hashIfIdle(password: string): Promise<IdleHashOutcome>;
}

/** The fairness key of hashes that the host requests. */
const HOST_KEY = 'host';

/** Parts that tests replace. */
export interface PasswordVerifierDeps {
  readonly limiter?: HashLimiter;
  readonly computeArgon2?: Argon2Compute;
}

export function createPasswordVerifier(
  settings: PasswordSettings,
  deps: PasswordVerifierDeps = {},
): PasswordVerifier {
  const { verifier, schemes, normalization } = settings;
  const argon2 = createArgon2Hasher(settings, deps.computeArgon2);
  const limiter = deps.limiter ?? createHashLimiter(settings);
  const storedHashes = createStoredHashComparison({ argon2, schemes, normalization });
  const compare =
    verifier === undefined ? storedHashes.compareUser : createHostComparison(verifier);

  async function hashPassword(password: string): Promise<HashedPassword> {
    const passwordHash = await argon2.hash(normalizePassword(password, normalization));
    return { outcome: 'hashed', passwordHash };
  }

  return {
    async verify(user, password, clientAddress) {
      if (!settings.limitConcurrency) return compare(user, password);
      return limiter.run(() => compare(user, password), fairnessKeyOf(clientAddress));
    },
    async verifyHash(hash, password) {
      const check = checkPassword(password);
      if (check.outcome === 'rejected') return check;
      return limiter.run(() => storedHashes.compareHash(hash, password), HOST_KEY);
    },
    async hash(password) {
      const check = checkNewPassword(password);
      if (check.outcome === 'rejected') return check;
      return limiter.run(() => hashPassword(password), HOST_KEY);
    },
    hashIfIdle: (password) => limiter.runIfIdle(() => hashPassword(password)),
  };
}

function fairnessKeyOf(clientAddress: string | null): string {
  return clientAddress === null ? 'unknown' : addressPrefix(clientAddress);
}
