import assert from 'node:assert/strict';
import type { AccountId, User } from '@latchhook/core';
import { userSuite } from '../../fixtures/user-fixture.ts';
import {
  assertNobody,
  assertSameUser,
  BARE_USER,
  COMPLETE_USER,
  hashNamed,
} from '../../samples/user-samples.ts';

/** Addresses that SQL, patterns or placeholders might interpret; all of their characters are valid by RFC 5321. */
const AWKWARD_USERNAMES = ["o'hara", 'a_b', '100%', 'what?', '$1', '{x}|y*', '--'].map(
  (name) => `${name}@example.com`,
);

/** Valid login names that no user has. */
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

export const userLookUps = userSuite('user store: look-ups', {
  'finds a user with all fields by id and by login name': async (users) => {
    for (const sample of [COMPLETE_USER, BARE_USER]) {
      const user = await users.addUser(sample);
      assertSameUser(await users.userStore.findById(user.id), user);
      assertSameUser(await users.userStore.findByUsername(sample.username), user);
    }
  },

  'does not return a disabled user as enabled': async ({ addUser, userStore }) => {
    const user = await addUser({ ...COMPLETE_USER, disabled: true });
    const results = [
      await userStore.findById(user.id),
      await userStore.findByUsername(COMPLETE_USER.username),
    ];
    // A user store may return no disabled users. If its table has no such column, `addUser` returned an enabled user.
    for (const result of results) if (result || !user.disabled) assertSameUser(result, user);
  },

  'returns null for an unknown login name': async ({ addUser, userStore }) => {
    for (const username of [COMPLETE_USER.username, 'a_b@example.com']) {
      await addUser({ ...BARE_USER, username });
    }
    for (const username of UNKNOWN_USERNAMES) {
      assertNobody(await userStore.findByUsername(username));
    }
  },

  'returns null for a removed user, even right after a look-up': async (users) => {
    const { addUser, removeUser, userStore } = users;
    const user = await addUser(COMPLETE_USER);
    const grace = await addUser(BARE_USER);
    await userStore.findById(user.id);
    await userStore.findByUsername(COMPLETE_USER.username);
    await removeUser(user.id);
    assertNobody(await userStore.findById(user.id));
    assertNobody(await userStore.findByUsername(COMPLETE_USER.username));
    assertSameUser(await userStore.findById(grace.id), grace);
  },

  'ignores the letter case of login names, stored and typed': async (users) => {
    const { addUser, userStore } = users;
    const ada = await addUser({ ...COMPLETE_USER, username: 'Ada.L@Example.com' });
    const grace = await addUser(BARE_USER);
    for (const typedName of ['ada.l@example.com', 'ADA.L@EXAMPLE.COM', 'Ada.L@Example.com']) {
      assertSameUser(await userStore.findByUsername(typedName), ada);
    }
    assertSameUser(await userStore.findByUsername('Grace@Example.com'), grace);
  },

  'treats a login name as text, not as SQL or a pattern': async ({ addUser, userStore }) => {
    const usersByName: [string, User<string, AccountId>][] = [];
    for (const username of AWKWARD_USERNAMES) {
      const passwordHash = hashNamed(username);
      usersByName.push([username, await addUser({ ...BARE_USER, username, passwordHash })]);
    }
    for (const [username, user] of usersByName) {
      assertSameUser(await userStore.findByUsername(username), user);
    }
  },

  'returns the right user to each of 64 parallel look-ups': async ({ addUser, userStore }) => {
    const usersByName: [string, User<string, AccountId>][] = [];
    for (let i = 0; i < 32; i += 1) {
      const username = `user${i}@example.com`;
      const accounts = Array.from({ length: i % 4 }, (_, nth) => i + nth);
      const passwordHash = hashNamed(username);
      usersByName.push([
        username,
        await addUser({ ...BARE_USER, username, accounts, passwordHash }),
      ]);
    }
    await Promise.all(
      usersByName.map(async ([username, user]) => {
        const results = await Promise.all([
          userStore.findByUsername(username),
          userStore.findById(user.id),
        ]);
        for (const result of results) assertSameUser(result, user);
      }),
    );
  },

  'has exactly the optional writes that the harness names': async (users) => {
    const { writes, userStore } = users;
    const present = (['replacePasswordHash', 'consumeRecoveryCode'] as const).filter(
      (write) => userStore[write] !== undefined,
    );
    assert.deepEqual(present.toSorted(), writes.toSorted());
  },
});
