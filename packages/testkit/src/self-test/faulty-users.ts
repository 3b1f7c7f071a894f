import { setImmediate as nextTurn } from 'node:timers/promises';
import type { User, UserStore } from '@latchhook/core';
import type { OpenUsers, UserHarness } from '../user-harness.ts';

type ReferenceUserStore = Required<UserStore>;

/** A users table in memory. */
interface UsersTable {
  readonly users: Map<string, User>;
  /** The recovery codes of each user. */
  readonly codes: Map<string, Set<string>>;
}

/** A correct users table. */
export const referenceUsers: UserHarness = faultyUsers();

/** The reference with some faulty methods of the user store or of the opened harness. */
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
      const table: UsersTable = { users: new Map(), codes: new Map() };
      const reference = referenceUserStore(table);
      const opened = openUsers(table, { ...reference, ...changeUserStore(reference, table) });
      return { ...opened, ...changeOpened(opened, table) };
    },
  };
}

/** Reads and writes non-atomically, which the contract forbids. A call is correct if no other is in progress. */
export const readThenWriteUsers: UserHarness = faultyUsers((_reference, table) => ({
  replacePasswordHash: async (userId, { expected, replacement }) => {
    const user = table.users.get(userId);
    await nextTurn();
    if (user?.passwordHash !== expected) return false;
    table.users.set(userId, { ...user, passwordHash: replacement });
    return true;
  },
  consumeRecoveryCode: async (userId, code) => {
    const hasCode = table.codes.get(userId)?.has(code) === true;
    await nextTurn();
    table.codes.get(userId)?.delete(code);
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
      table.users.set(withId.id, withId);
      table.codes.set(withId.id, new Set());
      return withId;
    },
    removeUser: async (userId) => {
      table.users.delete(userId);
      table.codes.delete(userId);
    },
    addRecoveryCode: async (userId, code) => void table.codes.get(userId)?.add(code),
    close: async () => {},
  };
}

function referenceUserStore(table: UsersTable): ReferenceUserStore {
  return {
    findByUsername: async (username) =>
      [...table.users.values()].find(
        (user) => user.username?.toLowerCase() === username.toLowerCase(),
      ) ?? null,
    findById: async (userId) => table.users.get(userId) ?? null,
    replacePasswordHash: async (userId, { expected, replacement }) => {
      const user = table.users.get(userId);
      if (user?.passwordHash !== expected) return false;
      table.users.set(userId, { ...user, passwordHash: replacement });
      return true;
    },
    consumeRecoveryCode: async (userId, code) => table.codes.get(userId)?.delete(code) === true,
  };
}
