import assert from 'node:assert/strict';
import { type UserFixture, userSuite } from '../../fixtures/user-fixture.ts';
import { assertSameUser, BARE_USER, COMPLETE_USER, hashNamed } from '../../samples/user-samples.ts';

const OLD = hashNamed('old');
const NEW = hashNamed('new');

export const passwordReplacement = userSuite('user store: replacement of a password hash', {
  'replaces only the password hash of the named user': async ({ addUser, userStore }) => {
    const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
    const grace = await addUser({ ...BARE_USER, passwordHash: OLD });
    assert.equal(await replace(userStore, ada.id, OLD, NEW), true);
    // `passwordChangedAtMs` must not change with the same password: a login would end all sessions.
    assertSameUser(await userStore.findById(ada.id), { ...ada, passwordHash: NEW });
    assertSameUser(await userStore.findById(grace.id), grace);
  },

  'replaces no hash that differs from the expected hash': async ({ addUser, userStore }) => {
    const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
    const unexpected = [NEW, '', OLD.slice(0, -1), '%'];
    for (const expected of unexpected) {
      assert.equal(await replace(userStore, ada.id, expected, NEW), false);
    }
    assertSameUser(await userStore.findById(ada.id), ada);
  },

  'returns false if the expected hash was already replaced': async (users) => {
    const { addUser, userStore } = users;
    const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
    assert.equal(await replace(userStore, ada.id, OLD, NEW), true);
    assert.equal(await replace(userStore, ada.id, OLD, hashNamed('late')), false);
    assertSameUser(await userStore.findById(ada.id), { ...ada, passwordHash: NEW });
  },

  'returns false for a removed user': async ({ addUser, removeUser, userStore }) => {
    const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
    await removeUser(ada.id);
    assert.equal(await replace(userStore, ada.id, OLD, NEW), false);
  },

  'returns true to one of 32 parallel replacements': async ({ addUser, userStore }) => {
    const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
    const results = await Promise.all(
      Array.from({ length: 32 }, (_, i) => replace(userStore, ada.id, OLD, hashNamed(`new ${i}`))),
    );
    assert.equal(results.filter((result) => result).length, 1);
    const passwordHash = hashNamed(`new ${results.indexOf(true)}`);
    assertSameUser(await userStore.findById(ada.id), { ...ada, passwordHash });
  },
});

function replace(
  userStore: UserFixture['userStore'],
  userId: string,
  expected: string,
  replacement: string,
): Promise<boolean> {
  assert.ok(userStore.replacePasswordHash, 'the user store has no replacePasswordHash');
  return userStore.replacePasswordHash(userId, { expected, replacement });
}
