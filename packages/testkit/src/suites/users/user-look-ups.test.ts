import { setImmediate as nextTurn } from 'node:timers/promises';
import type { User, UserStore } from '@latchhook/core';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectUserFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyUsers } from '../../self-test/faulty-users.ts';
import type { UserHarness } from '../../user-harness.ts';
import { userLookUps } from './user-look-ups.ts';

/** Both look-ups return a changed user. */
function usersChangedBy(change: (user: User) => User): UserHarness {
  const changed = (user: User | null) => user && change(user);
  return faultyUsers((reference) => ({
    findById: async (userId) => changed(await reference.findById(userId)),
    findByUsername: async (username) => changed(await reference.findByUsername(username)),
  }));
}

/** Compares login names by `matches`. */
function namesComparedBy(matches: (stored: string, typed: string) => boolean): UserHarness {
  return faultyUsers((_reference, table) => ({
    findByUsername: async (typed) =>
      [...table.users.values()].find((user) => matches(user.username ?? '', typed)) ?? null,
  }));
}

/** Matches like SQL's `LIKE`. */
function isLike(stored: string, pattern: string): boolean {
  const literal = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'i').test(stored);
}

const cachesUsers = faultyUsers((reference) => {
  const cache = new Map<string, User>();
  return {
    findById: async (userId) => {
      const user = cache.get(userId) ?? (await reference.findById(userId));
      if (user !== null) cache.set(userId, user);
      return user;
    },
  };
});

expectUserFaultsNoticed(userLookUps, {
  'finds a user with all fields by id and by login name': {
    'returns no accounts': usersChangedBy((user) => ({ ...user, accounts: [] })),
    'returns account ids as texts': usersChangedBy((user) => ({
      ...user,
      accounts: user.accounts.map(String) as never,
    })),
    'returns no scopes': usersChangedBy(({ id, passwordHash, accounts, mfa }) => ({
      id,
      passwordHash,
      accounts,
      mfa: mfa ?? null,
    })),
    'returns no second factor': usersChangedBy((user) => ({ ...user, mfa: null })),
    'returns a passwordChangedAtMs of 0': usersChangedBy((user) => ({
      ...user,
      passwordChangedAtMs: 0,
    })),
    'returns passwordChangedAtMs in seconds': usersChangedBy((user) => ({
      ...user,
      passwordChangedAtMs: (user.passwordChangedAtMs ?? 0) / 1000,
    })),
    'returns an empty hash instead of none': usersChangedBy((user) => ({
      ...user,
      passwordHash: user.passwordHash ?? '',
    })),
    'finds no user without an account': faultyUsers((reference) => ({
      findById: async (userId) => {
        const user = await reference.findById(userId);
        return user?.accounts.length === 0 ? null : user;
      },
    })),
  },
  'does not return a disabled user as enabled': {
    'returns a disabled user as enabled': usersChangedBy((user) => ({ ...user, disabled: false })),
  },
  'returns null for an unknown login name': {
    'treats a name as a pattern': namesComparedBy(isLike),
    'matches a prefix of a name': namesComparedBy((stored, typed) => stored.startsWith(typed)),
    'matches a part of a name': namesComparedBy((stored, typed) => stored.includes(typed)),
    'throws for an unknown name': faultyUsers((reference) => ({
      findByUsername: async (username) => {
        const user = await reference.findByUsername(username);
        if (user === null) throw new Outage('no rows');
        return user;
      },
    })),
  },
  'returns null for a removed user, even right after a look-up': {
    'caches users': cachesUsers,
    'removes all users': faultyUsers(undefined, (opened, table) => ({
      removeUser: async () => {
        table.users.clear();
        await opened.close();
      },
    })),
  },
  'ignores the letter case of login names, stored and typed': {
    'compares names byte by byte': namesComparedBy((stored, typed) => stored === typed),
    'folds the typed name only': namesComparedBy((stored, typed) => stored === typed.toLowerCase()),
    'folds the stored name only': namesComparedBy(
      (stored, typed) => stored.toLowerCase() === typed,
    ),
  },
  'treats a login name as text, not as SQL or a pattern': {
    'drops special characters': namesComparedBy(
      (stored, typed) => stored === typed.replace(/['?$]/g, ''),
    ),
    'treats a name as a pattern': namesComparedBy((stored, typed) =>
      isLike(stored, `%${typed.slice(3)}`),
    ),
  },
  'returns the right user to each of 64 parallel look-ups': {
    'shares the id of a look-up between calls': faultyUsers((reference) => {
      let lastId = '';
      return {
        findById: async (userId) => {
          lastId = userId;
          await nextTurn();
          return reference.findById(lastId);
        },
      };
    }),
    'returns accounts of another user': usersChangedBy((user) => ({ ...user, accounts: [31] })),
  },
  'has exactly the optional writes that the harness names': {
    'lacks consumeRecoveryCode': without('consumeRecoveryCode'),
    'has an optional write that the harness does not name': {
      ...faultyUsers(),
      writes: ['replacePasswordHash'],
    },
  },
});

function without(write: 'replacePasswordHash' | 'consumeRecoveryCode'): UserHarness {
  return faultyUsers(undefined, ({ userStore }) => {
    const { [write]: _absent, ...rest } = userStore;
    return { userStore: rest satisfies UserStore<string> };
  });
}
