import type { User, UserDirectory } from '@latchhook/core';

/** A write that a directory of users may have. */
export type UserWrite = 'replacePasswordHash' | 'consumeRecoveryCode';

/** A user to add, before your table has given an id. */
export type NewUser = Omit<User, 'id' | 'username'> & { readonly username: string };

/** How the kit gets at the users table that is to be certified, by your `UserDirectory`. */
export interface UserHarness {
  /** The optional writes that the directory has: it is held to these, and to having no others. */
  readonly writes: readonly UserWrite[];
  /**
   * Opens a users table that is empty, and that no other test looks at: a schema of its own, or one that is
   * emptied. Every claim opens one.
   */
  open(): Promise<OpenUsers>;
}

/** A users table that has been opened for one claim. */
export interface OpenUsers {
  /** Races call it 32 times at once: give its pool a few connections. */
  readonly directory: UserDirectory;
  /**
   * Adds a user. Where the table cannot hold a field (it has no scopes, or no user without a password), adds
   * the user without it.
   *
   * @returns the user as the directory is to answer it, with the id that the table gave.
   */
  addUser(user: NewUser): Promise<User>;
  /** Removes a user as your app does. */
  removeUser(userId: string): Promise<void>;
  /**
   * Gives a user one more recovery code, stored as your app stores them. Needed where the directory has
   * `consumeRecoveryCode`.
   *
   * @param code - as `consumeRecoveryCode` is given it: 16 characters of base32 in upper case, without dashes.
   */
  addRecoveryCode?(userId: string, code: string): Promise<void>;
  /** Removes the table, or what is in it. Connections may be kept for the next claim. */
  close(): Promise<void>;
}
