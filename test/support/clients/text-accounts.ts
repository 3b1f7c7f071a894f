import type { UserStore } from '@latchhook/core';
import type { TestUsers } from './users.ts';

/** What the accounts 1 and 2 of the test users are called, by names that a key or a query may take apart. */
export const ACME = '{acme}/%41&b=c:"1"';
export const UUID = '019ac0de-7f3a-7c52-9d1e-0b6a4c8e2f10';
/** All of them, by number; the third is called as it was. */
export const NAMES: readonly string[] = ['', ACME, UUID, '3'];

/** The users, with accounts that are called otherwise. */
export function withAccounts(users: TestUsers, named: (id: number) => unknown): UserStore {
  const renamed: UserStore['findById'] = async (userId) => {
    const user = await users.findById(userId);
    return user && { ...user, accounts: user.accounts.map(named) as number[] };
  };
  return {
    findById: renamed,
    findByUsername: async (username) =>
      renamed((await users.findByUsername(username))?.id ?? 'nobody'),
  };
}
