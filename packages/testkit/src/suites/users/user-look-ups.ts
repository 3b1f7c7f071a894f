import assert from 'node:assert/strict';
import type { User } from '@latchhook/core';
import {
  assertNobody,
  assertSameUser,
  BARE_USER,
  COMPLETE_USER,
  hashNamed,
} from '../../samples/user-samples.ts';
import type { Suite } from '../../suite.ts';
import type { UserTrial } from '../../trials/user-trial.ts';

/** Addresses that SQL, patterns or placeholders might interpret; all of their characters are valid by RFC 5321. */
const AWKWARD_USERNAMES: readonly string[] = [
  "o'hara@example.com",
  'a_b@example.com',
  '100%@example.com',
  'what?@example.com',
  '$1@example.com',
  '{x}|y*@example.com',
  '--@example.com',
];

/** Names that pass the check of a login, but belong to nobody. */
const UNKNOWN_USERNAMES: readonly string[] = [
  'nobody@example.com',
  'ada@example.co',
  'da@example.com',
  '%@example.com',
  '_da@example.com',
  'a%@example.com',
  'axb@example.com',
  'ada@example_com',
  '.*@example.com',
  "'or'1'='1@example.com",
  'ada@example.com\\',
  'ünï\u{1F512}@example.com',
  `${'x'.repeat(242)}@example.com`,
];

export const userLookUps: Suite<UserTrial> = {
  name: 'users: look-ups',
  claims: {
    'find a user by id and by login name, with all that is known': async (users) => {
      for (const sample of [COMPLETE_USER, BARE_USER]) {
        const user = await users.addUser(sample);
        assertSameUser(await users.directory.findById(user.id), user);
        assertSameUser(await users.directory.findByUsername(sample.username), user);
      }
    },

    'do not answer a disabled user as enabled': async ({ addUser, directory }) => {
      const user = await addUser({ ...COMPLETE_USER, disabled: true });
      const found = [
        await directory.findById(user.id),
        await directory.findByUsername(COMPLETE_USER.username),
      ];
      // A directory may leave out disabled users altogether.
      for (const one of found) if (one || !user.disabled) assertSameUser(one, user);
    },

    'answer null if nobody has that name': async ({ addUser, directory }) => {
      for (const username of [COMPLETE_USER.username, 'a_b@example.com']) {
        await addUser({ ...BARE_USER, username });
      }
      for (const username of UNKNOWN_USERNAMES) {
        assertNobody(await directory.findByUsername(username));
      }
    },

    'answer null for a removed user, even if they were just looked up': async (users) => {
      const { addUser, removeUser, directory } = users;
      const user = await addUser(COMPLETE_USER);
      const grace = await addUser(BARE_USER);
      await directory.findById(user.id);
      await directory.findByUsername(COMPLETE_USER.username);
      await removeUser(user.id);
      assertNobody(await directory.findById(user.id));
      assertNobody(await directory.findByUsername(COMPLETE_USER.username));
      assertSameUser(await directory.findById(grace.id), grace);
    },

    'find a login name in whatever letter case it is stored and typed': async (users) => {
      const { addUser, directory } = users;
      const ada = await addUser({ ...COMPLETE_USER, username: 'Ada.L@Example.com' });
      const grace = await addUser(BARE_USER);
      for (const typed of ['ada.l@example.com', 'ADA.L@EXAMPLE.COM', 'Ada.L@Example.com']) {
        assertSameUser(await directory.findByUsername(typed), ada);
      }
      assertSameUser(await directory.findByUsername('Grace@Example.com'), grace);
    },

    'treat a login name as text, whatever it contains': async ({ addUser, directory }) => {
      const added: [string, User][] = [];
      for (const username of AWKWARD_USERNAMES) {
        const passwordHash = hashNamed(username);
        added.push([username, await addUser({ ...BARE_USER, username, passwordHash })]);
      }
      for (const [username, user] of added) {
        assertSameUser(await directory.findByUsername(username), user);
      }
    },

    'answer 64 at once, each with its own user': async ({ addUser, directory }) => {
      const added: [string, User][] = [];
      for (let nth = 0; nth < 32; nth += 1) {
        const username = `user${nth}@example.com`;
        const accounts = Array.from({ length: nth % 4 }, (_, more) => nth + more);
        const passwordHash = hashNamed(username);
        added.push([username, await addUser({ ...BARE_USER, username, accounts, passwordHash })]);
      }
      await Promise.all(
        added.map(async ([username, user]) => {
          const found = await Promise.all([
            directory.findByUsername(username),
            directory.findById(user.id),
          ]);
          for (const one of found) assertSameUser(one, user);
        }),
      );
    },

    'have exactly the optional writes that the harness names': async (users) => {
      const { writes, directory } = users;
      const present = (['replacePasswordHash', 'consumeRecoveryCode'] as const).filter(
        (write) => directory[write] !== undefined,
      );
      assert.deepEqual(present.toSorted(), writes.toSorted());
    },
  },
};
