import type { User, UserDirectory } from '@latchhook/core';

/** A write that a directory of users may have. */
export type UserWrite = 'replacePasswordHash' | 'consumeRecoveryCode';

/** A user to add, before your table has assigned an id. */
export type NewUser = Omit<User, 'id' | 'username'> & { readonly username: string };

/** How the kit opens the users table that is to be certified, with your `UserDirectory`. */
export interface UserHarness {
  /** The optional writes that the directory has. It must have these, and no others. */
  readonly writes: readonly UserWrite[];
  /**
   * Opens an empty users table that no other test uses: in a schema of its own, or one that was emptied. Every claim
   * opens one.
   */
  open(): Promise<OpenUsers>;
}

/** A users table that has been opened for one claim. */
export interface OpenUsers {
  /** Races make 32 calls at once: give its pool a few connections. */
  readonly directory: UserDirectory;
  /**
   * Adds a user. If the table cannot hold a field (it has no scopes, or no user without a password), adds the user
   * without it.
   *
   * @returns the user as the directory must answer it, with the id that the table assigned.
   */
  addUser(user: NewUser): Promise<User>;
  /** Removes a user as your app does. */
  removeUser(userId: string): Promise<void>;
  /**
   * Gives a user one more recovery code, stored as your app stores them. Needed if the directory has
   * `consumeRecoveryCode`.
   *
   * @param code - in the form that `consumeRecoveryCode` gets: 16 characters of base32 in upper case, without dashes.
   */
  addRecoveryCode?(userId: string, code: string): Promise<void>;
  /** Removes the table, or what is in it. Connections may be kept for the next claim. */
  close(): Promise<void>;
}
