import type { AccountId, Scope, User, UserStore } from '@latchhook/core';

/** A write that a user store of users may have. */
export type UserWrite = 'replacePasswordHash' | 'consumeRecoveryCode';

/** A user to add, before your table has assigned an id. */
export type NewUser<Id extends AccountId = number> = Omit<User<Scope, Id>, 'id' | 'username'> & {
  readonly username: string;
};

/** How the kit opens the users table that is to be certified, with your `UserStore`. */
export interface UserHarness<Id extends AccountId = number> {
  /** The optional writes that the user store has. It must have these, and no others. */
  readonly writes: readonly UserWrite[];
  /**
   * Names accounts, a different one for each number from 0, in the form that your table takes, such as a UUID. Needed
   * if account ids are strings. Default: the number itself.
   */
  readonly accountId?: (nth: number) => Id;
  /**
   * Opens an empty users table that no other test uses: in its own schema, or one that was emptied. Every claim
   * opens one.
   */
  open(): Promise<OpenUsers<Id>>;
}

/** A users table that has been opened for one claim. */
export interface OpenUsers<Id extends AccountId = number> {
  /** Races make 32 calls at once: give its pool a few connections. */
  readonly userStore: UserStore<string, Id>;
  /**
   * Adds a user. If the table cannot hold a field (it has no scopes, or no user without a password), adds the user
   * without it.
   *
   * @returns the user as the user store must answer it, with the id that the table assigned.
   */
  addUser(user: NewUser<Id>): Promise<User<string, Id>>;
  /** Removes a user as your app does. */
  removeUser(userId: string): Promise<void>;
  /**
   * Gives a user one more recovery code, stored as your app stores them. Needed if the user store has
   * `consumeRecoveryCode`.
   *
   * @param code - in the form that `consumeRecoveryCode` gets: 16 characters of base32 in upper case, without dashes.
   */
  addRecoveryCode?(userId: string, code: string): Promise<void>;
  /** Removes the table, or what is in it. Connections may be kept for the next claim. */
  close(): Promise<void>;
}
