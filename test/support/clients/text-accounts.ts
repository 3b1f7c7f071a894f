import type { UserStore } from '@latchhook/core';
import type { TestUsers } from './users.ts';

/** Text ids of the accounts 1 and 2, with characters that have a meaning in keys, URLs or patterns. */
export const ACME = '{acme}/%41&b=c:"1"';
export const UUID = '019ac0de-7f3a-7c52-9d1e-0b6a4c8e2f10';
/** The text ids by number. */
export const NAMES: readonly string[] = ['', ACME, UUID, '3'];

/** The users with other account ids. */
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
