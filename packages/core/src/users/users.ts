import type { AccountId } from '../account-id.ts';
import type { Scope } from '../scopes/scope.ts';

/**
 * A user as the host's user store knows it. Read again at every login, refresh and challenge, and when a request
 * creates or uses something that outlives an access token: a factor, a personal access token, a webhook. If it is
 * malformed (a date where a number belongs, a scope that does not exist), the client is answered 500, and a `fault` of
 * the user store names the field: nothing is issued in doubt. If only the secret of the second factor cannot be read,
 * requests that need it are answered 503.
 */
export interface User<Scopes extends string = Scope, Id extends AccountId = number> {
  /** Stable, opaque to Latchhook; becomes `sub`. 1 to 255 bytes of UTF-8. */
  readonly id: string;
  /** The login name, for authenticator apps. Default: the id. */
  readonly username?: string | null;
  /** A PHC string of argon2, or a hash that one of `passwords.schemes` recognises; `null`: no password login. */
  readonly passwordHash: string | null;
  /** The accounts that the user can access; ids of the kind of the option `accounts.id`, integers by default. */
  readonly accounts: readonly Id[];
  /** The scopes that the user is entitled to. Default: `["user"]`. */
  readonly scopes?: readonly Scopes[];
  /**
   * Whether the user may no longer log in, refresh, use personal access tokens or manage webhooks. Access tokens that
   * were issued before stay valid until they expire, or until `auth.sessions.revokeAll`. Default: `false`.
   */
  readonly disabled?: boolean;
  /** The user's second factor; absent or `null`: none. */
  readonly mfa?: UserMfa | null;
  /** When the password was last changed, ms since 1970: older sessions end at their next refresh. */
  readonly passwordChangedAtMs?: number | undefined;
}

/** {@link User} of an app with any scopes and account ids. */
export type AnyUser = User<Scope, AccountId>;

/** The second factor of a user who has one. */
export interface UserMfa {
  /**
   * Shared secret of RFC 6238 (SHA-1, six digits, 30 s): base32 of 10 to 64 bytes, in either case; spaces, dashes and
   * padding do not matter. While it cannot be read, each look-up of the user emits a `fault` that names the user and
   * what is wrong, and a login is answered 503 once its password was right.
   */
  readonly totpSecret: string;
}

/**
 * The integrator's users table: two methods look users up, and two optional methods write. A method that throws, or
 * takes longer than a second and a half, means "unavailable": the client is answered 503. So does a write that returns
 * anything but `true` or `false`.
 */
export interface UserStore<Scopes extends string = Scope, Id extends AccountId = number> {
  /**
   * Finds the user of a login name: a well-formed e-mail address, NFC, in the letter case that was typed. `null` if
   * no user has it. Any other name is answered 400 without a look-up.
   */
  findByUsername(username: string): Promise<User<Scopes, Id> | null>;
  /** Finds the user with a `User.id` that was returned before; `null` if the user no longer exists. */
  findById(userId: string): Promise<User<Scopes, Id> | null>;

  /**
   * Replaces a password hash by `replacement`, if it is still `expected`. Returns whether it was replaced. Called only
   * with the option `passwords.upgradeHashes`.
   *
   * Atomicity: must be a compare-and-set (`UPDATE ... WHERE id = ? AND password_hash = ?`), or a login that races a
   * change of the password brings the old one back.
   */
  replacePasswordHash?(
    userId: string,
    change: { readonly expected: string; readonly replacement: string },
  ): Promise<boolean>;

  /**
   * Uses up a recovery code, given as 16 characters of base32 in upper case, without dashes.
   *
   * Atomicity: of parallel calls with one code exactly one returns `true`. Store codes hashed.
   */
  consumeRecoveryCode?(userId: string, code: string): Promise<boolean>;
}

/** {@link UserStore} of an app with any scopes and account ids. */
export type AnyUserStore = UserStore<Scope, AccountId>;
