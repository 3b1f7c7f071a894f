import assert from 'node:assert/strict';
import { type UserFixture, userSuite } from '../../fixtures/user-fixture.ts';
import { BARE_USER, COMPLETE_USER, recoveryCode } from '../../samples/user-samples.ts';

export const userRecoveryCodes = userSuite('user store: recovery codes', {
  'consumes each code once': async (users) => {
    const ada = await users.addUser(COMPLETE_USER);
    await addCodes(users, ada.id, 10);
    for (let i = 0; i < 10; i += 1) {
      assert.equal(await consume(users.userStore, ada.id, recoveryCode(i)), true);
      assert.equal(await consume(users.userStore, ada.id, recoveryCode(i)), false);
    }
  },

  'rejects an unknown code': async (users) => {
    const ada = await users.addUser(COMPLETE_USER);
    await addCodes(users, ada.id, 1);
    for (const code of [recoveryCode(1), '%'.repeat(16), '_'.repeat(16), '']) {
      assert.equal(await consume(users.userStore, ada.id, code), false);
    }
    assert.equal(await consume(users.userStore, ada.id, recoveryCode(0)), true);
  },

  'accepts a code for its own user only, even if two users have the same code': async (users) => {
    const ada = await users.addUser(COMPLETE_USER);
    const grace = await users.addUser(BARE_USER);
    await addCodes(users, ada.id, 2);
    await addCodes(users, grace.id, 1);
    assert.equal(await consume(users.userStore, grace.id, recoveryCode(1)), false);
    assert.equal(await consume(users.userStore, ada.id, recoveryCode(0)), true);
    assert.equal(await consume(users.userStore, grace.id, recoveryCode(0)), true);
    assert.equal(await consume(users.userStore, ada.id, recoveryCode(1)), true);
  },

  'rejects codes of a removed user': async (users) => {
    const ada = await users.addUser(COMPLETE_USER);
    await addCodes(users, ada.id, 1);
    await users.removeUser(ada.id);
    assert.equal(await consume(users.userStore, ada.id, recoveryCode(0)), false);
  },

  'consumes a code once under 32 parallel calls': async (users) => {
    const ada = await users.addUser(COMPLETE_USER);
    await addCodes(users, ada.id, 1);
    const results = await Promise.all(
      Array.from({ length: 32 }, () => consume(users.userStore, ada.id, recoveryCode(0))),
    );
    assert.equal(results.filter((result) => result).length, 1);
  },

  'consumes eight codes once each under 32 parallel calls': async (users) => {
    const ada = await users.addUser(COMPLETE_USER);
    await addCodes(users, ada.id, 8);
    const results = await Promise.all(
      Array.from({ length: 32 }, (_, i) => consume(users.userStore, ada.id, recoveryCode(i % 8))),
    );
    assert.equal(results.filter((result) => result).length, 8);
  },
});

async function addCodes(users: UserFixture, userId: string, count: number): Promise<void> {
  assert.ok(users.addRecoveryCode, 'the harness has no addRecoveryCode to give codes by');
  for (let i = 0; i < count; i += 1) await users.addRecoveryCode(userId, recoveryCode(i));
}

function consume(
  userStore: UserFixture['userStore'],
  userId: string,
  code: string,
): Promise<boolean> {
  assert.ok(userStore.consumeRecoveryCode, 'the user store has no consumeRecoveryCode');
  return userStore.consumeRecoveryCode(userId, code);
}
