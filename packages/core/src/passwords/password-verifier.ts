import { addressPrefix } from '../throttle/address-prefix.ts';
import type { AnyUser } from '../users/users.ts';
import { type Argon2Compute, createArgon2Hasher } from './argon2-hash.ts';
import { createHashLimiter, type HashLimiter } from './hash-limiter.ts';
import { createHostComparison } from './host-comparison.ts';
import type { HashComparison, PasswordOutcome } from './password-comparison.ts';
import type { PasswordSettings } from './password-settings.ts';
import { checkNewPassword, checkPassword, normalizePassword } from './password-text.ts';
import { createStoredHashComparison } from './stored-hash-comparison.ts';

/** The result of hashing a new password. */
export type HashOutcome =
  | { readonly outcome: 'hashed'; readonly passwordHash: string }
  /** Not acceptable as a password; `message` is constant text. */
  | { readonly outcome: 'rejected'; readonly message: string }
  /** More passwords wait to be hashed than the machine can handle: worth another try in a second. */
  | { readonly outcome: 'shed'; readonly reason: 'queue_full' | 'wait_too_long' };

/** The result of comparing a password with a stored hash. If it is `shed`, the password is neither right nor wrong. */
export type VerifyOutcome = HashComparison | Exclude<HashOutcome, { readonly outcome: 'hashed' }>;

export type IdleHashOutcome =
  | { readonly outcome: 'hashed'; readonly passwordHash: string }
  | { readonly outcome: 'busy' };

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
   * @param clientAddress - the tenant of the limiter, by its prefix; all clients without an address are one tenant
   */
  verify(
    user: AnyUser | null,
    password: string,
    clientAddress: string | null,
  ): Promise<PasswordOutcome>;
  /**
   * Verifies a password against one hash, `null` where there is none. Rejects if a scheme fails. Calls of the host are
   * one tenant of the limiter.
   */
  verifyHash(hash: string | null, password: string): Promise<VerifyOutcome>;
  /** Hashes a new password with today's parameters. Calls of the host are one tenant of the limiter. */
  hash(password: string): Promise<HashOutcome>;
  /** Hashes a password that has just matched, unless all permits are in use, since logins go first. */
  hashIfIdle(password: string): Promise<IdleHashOutcome>;
}

/** The tenant key of hashes that the host asks for. */
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
  const stored = createStoredHashComparison({ argon2, schemes, normalization });
  const compare = verifier === undefined ? stored.compareUser : createHostComparison(verifier);

  function makeHash(password: string): Promise<string> {
    return argon2.hash(normalizePassword(password, normalization));
  }

  return {
    async verify(user, password, clientAddress) {
      if (!settings.limitConcurrency) return compare(user, password);
      const compared = await limiter.run(() => compare(user, password), tenantKeyOf(clientAddress));
      return compared.outcome === 'done' ? compared.value : compared;
    },
    async verifyHash(hash, password) {
      const text = checkPassword(password);
      if (text.outcome === 'rejected') return text;
      const compared = await limiter.run(() => stored.compareHash(hash, password), HOST_KEY);
      return compared.outcome === 'done' ? compared.value : compared;
    },
    async hash(password) {
      const text = checkNewPassword(password);
      if (text.outcome === 'rejected') return text;
      const made = await limiter.run(() => makeHash(password), HOST_KEY);
      return made.outcome === 'done' ? { outcome: 'hashed', passwordHash: made.value } : made;
    },
    async hashIfIdle(password) {
      const made = await limiter.runIfIdle(() => makeHash(password));
      return made.outcome === 'done' ? { outcome: 'hashed', passwordHash: made.value } : made;
    },
  };
}

function tenantKeyOf(clientAddress: string | null): string {
  return clientAddress === null ? 'unknown' : addressPrefix(clientAddress);
}
