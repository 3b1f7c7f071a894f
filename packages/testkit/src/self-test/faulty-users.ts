import { setImmediate as nextTurn } from 'node:timers/promises';
import type { User, UserStore } from '@latchhook/core';
import type { OpenUsers, UserHarness } from '../user-harness.ts';

type ReferenceUserStore = Required<UserStore>;

/** A users table in memory. */
class UsersTable {
  readonly #users = new Map<string, User>();
  readonly #codes = new Set<string>();

  find(matches: (user: User) => boolean): User | null {
    return [...this.#users.values()].find(matches) ?? null;
  }

  set(user: User): void {
    this.#users.set(user.id, user);
  }

  remove(userId: string): void {
    this.#users.delete(userId);
    for (const code of this.#codes) if (code.startsWith(`${userId} `)) this.#codes.delete(code);
  }

  hasCode(userId: string, code: string): boolean {
    return this.#codes.has(`${userId} ${code}`);
  }

  addCode(userId: string, code: string): void {
    this.#codes.add(`${userId} ${code}`);
  }

  deleteCode(userId: string, code: string): boolean {
    return this.#codes.delete(`${userId} ${code}`);
  }
}

/** A correct users table. The user store or the opened harness may have faulty methods. */
export function faultyUsers(
  changeUserStore: (
    reference: ReferenceUserStore,
    table: UsersTable,
  ) => Partial<UserStore> = () => ({}),
  changeOpened: (opened: OpenUsers, table: UsersTable) => Partial<OpenUsers> = () => ({}),
): UserHarness {
  return {
    writes: ['replacePasswordHash', 'consumeRecoveryCode'],
    open: async () => {
      const table = new UsersTable();
      const reference = referenceUserStore(table);
      const opened = openUsers(table, { ...reference, ...changeUserStore(reference, table) });
      return { ...opened, ...changeOpened(opened, table) };
    },
  };
}

/** Reads and writes non-atomically, which the contract forbids. A call is correct if no other is in progress. */
export const readThenWriteUsers: UserHarness = faultyUsers((_reference, table) => ({
  replacePasswordHash: async (userId, { expected, replacement }) => {
    const user = table.find(({ id }) => id === userId);
    await nextTurn();
    if (user?.passwordHash !== expected) return false;
    table.set({ ...user, passwordHash: replacement });
    return true;
  },
  consumeRecoveryCode: async (userId, code) => {
    const hasCode = table.hasCode(userId, code);
    await nextTurn();
    table.deleteCode(userId, code);
    return hasCode;
  },
}));

function openUsers(table: UsersTable, userStore: UserStore): OpenUsers {
  let added = 0;
  return {
    userStore,
    addUser: async (user) => {
      added += 1;
      const withId = { ...user, id: `user-${added}` };
      table.set(withId);
      return withId;
    },
    removeUser: async (userId) => table.remove(userId),
    addRecoveryCode: async (userId, code) => table.addCode(userId, code),
    close: async () => {},
  };
}

function referenceUserStore(table: UsersTable): ReferenceUserStore {
  return {
    findByUsername: async (username) =>
      table.find((user) => user.username?.toLowerCase() === username.toLowerCase()),
    findById: async (userId) => table.find(({ id }) => id === userId),
    replacePasswordHash: async (userId, { expected, replacement }) => {
      const user = table.find(({ id }) => id === userId);
      if (user?.passwordHash !== expected) return false;
      table.set({ ...user, passwordHash: replacement });
      return true;
    },
    consumeRecoveryCode: async (userId, code) => table.deleteCode(userId, code),
  };
}
