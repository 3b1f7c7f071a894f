import { setImmediate as turn } from 'node:timers/promises';
import type { User, UserStore } from '@latchhook/core';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectUserFaultsNoticed } from '../../self-test/expect-user-faults-noticed.ts';
import { usersThat } from '../../self-test/faulty-users.ts';
import type { UserHarness } from '../../user-harness.ts';
import { userLookUps } from './user-look-ups.ts';

/** Both look-ups change the user that they find. */
function answering(change: (user: User) => User): UserHarness {
  const changed = (user: User | null) => user && change(user);
  return usersThat((sound) => ({
    findById: async (userId) => changed(await sound.findById(userId)),
    findByUsername: async (username) => changed(await sound.findByUsername(username)),
  }));
}

/** Compares login names by `matches`. */
function comparing(matches: (stored: string, typed: string) => boolean): UserHarness {
  return usersThat((_sound, table) => ({
    findByUsername: async (typed) => table.find((user) => matches(user.username ?? '', typed)),
  }));
}

/** Matches like SQL's `LIKE`. */
function isLike(stored: string, pattern: string): boolean {
  const literal = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'i').test(stored);
}

const remembers = usersThat((sound) => {
  const seen = new Map<string, User>();
  return {
    findById: async (userId) => {
      const user = seen.get(userId) ?? (await sound.findById(userId));
      if (user !== null) seen.set(userId, user);
      return user;
    },
  };
});

expectUserFaultsNoticed(userLookUps, {
  'find a user by id and by login name, with all that is known': {
    'knows no accounts': answering((user) => ({ ...user, accounts: [] })),
    'answers accounts as text': answering((user) => ({
      ...user,
      accounts: user.accounts.map(String) as never,
    })),
    'knows no scopes': answering(({ id, passwordHash, accounts, mfa }) => ({
      id,
      passwordHash,
      accounts,
      mfa: mfa ?? null,
    })),
    'forgets the second factor': answering((user) => ({ ...user, mfa: null })),
    'forgets when the password was changed': answering((user) => ({
      ...user,
      passwordChangedAtMs: 0,
    })),
    'answers seconds': answering((user) => ({
      ...user,
      passwordChangedAtMs: (user.passwordChangedAtMs ?? 0) / 1000,
    })),
    'has an empty hash where there is none': answering((user) => ({
      ...user,
      passwordHash: user.passwordHash ?? '',
    })),
    'finds nobody without an account': usersThat((sound) => ({
      findById: async (userId) => {
        const user = await sound.findById(userId);
        return user?.accounts.length === 0 ? null : user;
      },
    })),
  },
  'do not answer a disabled user as enabled': {
    'does not say that they are': answering((user) => ({ ...user, disabled: false })),
  },
  'answer null if nobody has that name': {
    'takes a name for a pattern': comparing(isLike),
    'looks at the beginning alone': comparing((stored, typed) => stored.startsWith(typed)),
    'looks for a part': comparing((stored, typed) => stored.includes(typed)),
    'throws for what it cannot look up': usersThat((sound) => ({
      findByUsername: async (username) => {
        const user = await sound.findByUsername(username);
        if (user === null) throw new Outage('what the driver makes of it');
        return user;
      },
    })),
  },
  'answer null for a removed user, even if they were just looked up': {
    'remembers whom it has seen': remembers,
    'removes everybody': usersThat(undefined, (opened, table) => ({
      removeUser: async () => {
        for (const id of ['user-1', 'user-2']) table.remove(id);
        await opened.close();
      },
    })),
  },
  'find a login name in whatever letter case it is stored and typed': {
    'compares byte by byte': comparing((stored, typed) => stored === typed),
    'folds what was typed alone': comparing((stored, typed) => stored === typed.toLowerCase()),
    'folds what is stored alone': comparing((stored, typed) => stored.toLowerCase() === typed),
  },
  'treat a login name as text, whatever it contains': {
    'leaves out what it does not know': comparing(
      (stored, typed) => stored === typed.replace(/['?$]/g, ''),
    ),
    'takes a name for a pattern': comparing((stored, typed) =>
      isLike(stored, `%${typed.slice(3)}`),
    ),
  },
  'answer 64 at once, each with its own user': {
    'keeps the one it looks for where others can change it': usersThat((sound) => {
      let wanted = '';
      return {
        findById: async (userId) => {
          wanted = userId;
          await turn();
          return sound.findById(wanted);
        },
      };
    }),
    'has accounts of others': answering((user) => ({ ...user, accounts: [31] })),
  },
  'have exactly the optional writes that the harness names': {
    'lacks one': without('consumeRecoveryCode'),
    'has one more': { ...usersThat(), writes: ['replacePasswordHash'] },
  },
});

function without(write: 'replacePasswordHash' | 'consumeRecoveryCode'): UserHarness {
  return usersThat(undefined, ({ userStore }) => {
    const { [write]: _absent, ...rest } = userStore;
    return { userStore: rest satisfies UserStore<string> };
  });
}
