import assert from 'node:assert/strict';
import type { UserDirectory } from '@latchhook/core';
import { assertSameUser, BARE_USER, COMPLETE_USER, hashNamed } from '../../samples/user-samples.ts';
import type { Suite } from '../../suite.ts';
import type { UserTrial } from '../../trials/user-trial.ts';

const OLD = hashNamed('old');
const NEW = hashNamed('new');

export const passwordReplacement: Suite<UserTrial> = {
  name: 'users: replacement of a password hash',
  claims: {
    'replaces the hash of the user, and nothing else': async ({ addUser, directory }) => {
      const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
      const grace = await addUser({ ...BARE_USER, passwordHash: OLD });
      assert.equal(await replace(directory, ada.id, OLD, NEW), true);
      // The password is the same: if `passwordChangedAtMs` moved, a login would end all sessions.
      assertSameUser(await directory.findById(ada.id), { ...ada, passwordHash: NEW });
      assertSameUser(await directory.findById(grace.id), grace);
    },

    'leaves a hash alone that is not the expected one': async ({ addUser, directory }) => {
      const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
      const unexpected = [NEW, '', OLD.slice(0, -1), '%'];
      for (const expected of unexpected) {
        assert.equal(await replace(directory, ada.id, expected, NEW), false);
      }
      assertSameUser(await directory.findById(ada.id), ada);
    },

    'does not revive an old hash after another has replaced it': async (users) => {
      const { addUser, directory } = users;
      const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
      assert.equal(await replace(directory, ada.id, OLD, NEW), true);
      assert.equal(await replace(directory, ada.id, OLD, hashNamed('late')), false);
      assertSameUser(await directory.findById(ada.id), { ...ada, passwordHash: NEW });
    },

    'answers false for a user who was removed': async ({ addUser, removeUser, directory }) => {
      const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
      await removeUser(ada.id);
      assert.equal(await replace(directory, ada.id, OLD, NEW), false);
    },

    'of 32 parallel replacements exactly one answers true': async ({ addUser, directory }) => {
      const ada = await addUser({ ...COMPLETE_USER, passwordHash: OLD });
      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, nth) =>
          replace(directory, ada.id, OLD, hashNamed(`new ${nth}`)),
        ),
      );
      assert.equal(answers.filter((answer) => answer).length, 1);
      const passwordHash = hashNamed(`new ${answers.indexOf(true)}`);
      assertSameUser(await directory.findById(ada.id), { ...ada, passwordHash });
    },
  },
};

function replace(
  directory: UserDirectory,
  userId: string,
  expected: string,
  replacement: string,
): Promise<boolean> {
  assert.ok(directory.replacePasswordHash, 'the directory has no replacePasswordHash');
  return directory.replacePasswordHash(userId, { expected, replacement });
}
