import type { AccountId } from '../account-id.ts';
import type { Scope } from '../scopes/scope.ts';
import type { User } from '../users/users.ts';
import type { PasswordNormalization } from './password-text.ts';
import type { PasswordScheme } from './schemes/password-scheme.ts';

/**
 * The host's own check of a password: LDAP, another service, a hash kept elsewhere.
 *
 * `user` is `null` if the login name is unknown or the user disabled. The result is then ignored, but the call must
 * take as long as for a user (bind with a decoy), or the timing reveals who exists.
 *
 * The call has the timeout of the user store. After that, a second and a half, the client is answered 503 and the
 * limiter admits the next login, even if the verifier is still working: give its I/O a shorter deadline.
 */
export type HostPasswordVerifier<Id extends AccountId = number> = (
  user: User<Scope, Id> | null,
  password: string,
) => Promise<boolean>;

/** How passwords are verified and hashed. */
export interface PasswordOptions<Id extends AccountId = number> {
  /**
   * The schemes of password hashes in the users table, in addition to argon2id, which is always supported: for instance
   * `[bcryptScheme({ compare })]`. Not with `verifier`. Default: none.
   */
  readonly schemes?: readonly PasswordScheme[];
  /**
   * Whether a login replaces a hash of another scheme, or of other parameters, by an argon2id hash with today's. Needs
   * `users.replacePasswordHash`, and no `verifier`. A hash is replaced only if its scheme returns `exact_match`. Leave
   * it off while other code compares the same column by itself. Default: `false`.
   */
  readonly upgradeHashes?: boolean;
  /** Decides instead of `User.passwordHash`, which is then ignored and never rehashed. Default: none. */
  readonly verifier?: HostPasswordVerifier<Id>;
  /**
   * Whether `verifier` is subject to `concurrency` and `maxWaitMs`. `false` for a verifier that only waits for another
   * server. Only with `verifier`. Default: `true`.
   */
  readonly limitConcurrency?: boolean;
  /**
   * Memory of argon2id, KiB; at most 262,144. Together with `iterations` it must reach OWASP's minimum. If the users
   * table holds costlier argon2id hashes, set both to the parameters of those: rejecting an unknown user takes as long
   * as these options say, and must take as long as rejecting a known one. Default: 19,456.
   */
  readonly memoryKib?: number;
  /** Passes of argon2id over that memory; at most 10. Default: 2. */
  readonly iterations?: number;
  /**
   * Whether passwords are normalized to Unicode's NFC before argon2id hashes them. `none` if the table has argon2id
   * hashes of passwords that were not normalized. `schemes` and `verifier` always get what was typed. Default: `NFC`.
   */
  readonly normalization?: PasswordNormalization;
  /**
   * How many hashes run at a time, each taking `memoryKib` and a thread of libuv's pool. Default: the number of cores,
   * but at most one fewer than the pool has threads (`UV_THREADPOOL_SIZE`, 4), and at least 1.
   */
  readonly concurrency?: number;
  /**
   * How long a login may wait for its hash before it is answered 503, ms. A login that would have to wait longer is
   * answered 503 immediately. Default: 1,800, so that the 503 leaves within two seconds.
   */
  readonly maxWaitMs?: number;
}

/** {@link PasswordOptions} with all defaults. */
export interface PasswordSettings extends Required<Omit<PasswordOptions, 'verifier'>> {
  /** `undefined`: stored hashes are compared here. */
  readonly verifier: HostPasswordVerifier<AccountId> | undefined;
}
