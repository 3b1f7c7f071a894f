import type { AccountId, Scope, User, UserStore } from '@latchhook/core';

/** An optional write of a user store. */
export type UserWrite = 'replacePasswordHash' | 'consumeRecoveryCode';

/** A user to add, before your table has assigned an id. */
export type NewUser<Id extends AccountId = number> = Omit<User<Scope, Id>, 'id' | 'username'> & {
  readonly username: string;
};

/** How the kit opens the users table that is to be certified, with your `UserStore`. */
export interface UserHarness<Id extends AccountId = number> {
  /** The optional writes that the user store has, which must be exactly these. */
  readonly writes: readonly UserWrite[];
  /**
   * Returns an account id in the form that your table takes, such as a UUID: a different id for each number from 0.
   * Needed if account ids are strings. Default: the number itself.
   */
  readonly accountId?: (nth: number) => Id;
  /**
   * Opens an empty users table that no other test uses: in its own schema, or a table that was emptied. Every test case
   * opens one.
   */
  open(): Promise<OpenUsers<Id>>;
}

/** A users table that has been opened for one test case. */
export interface OpenUsers<Id extends AccountId = number> {
  /** Some test cases make 32 parallel calls, so the pool needs a few connections. */
  readonly userStore: UserStore<string, Id>;
  /**
   * Adds a user, without the fields that the table does not have, such as scopes.
   *
   * @returns the user as the user store must return it, with the id that the table assigned.
   */
  addUser(user: NewUser<Id>): Promise<User<string, Id>>;
  /** Removes a user as your app does. */
  removeUser(userId: string): Promise<void>;
  /**
   * Gives a user one more recovery code, stored as your app stores them. Needed if the user store has
   * `consumeRecoveryCode`.
   *
   * @param code - as `consumeRecoveryCode` receives it: 16 characters of base32 in upper case, without dashes.
   */
  addRecoveryCode?(userId: string, code: string): Promise<void>;
  /** Removes the table or its rows. Connections may be kept for the next test case. */
  close(): Promise<void>;
}
