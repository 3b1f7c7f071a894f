import type { UserStore } from '@latchhook/core';
import { bcryptScheme } from '@latchhook/core';
import bcrypt from 'bcryptjs';
import { expect } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import type { TestApp, TestAppOptions } from '../support/apps/test-app.ts';
import { challengeOf, errorOf, logIn } from '../support/clients/token-calls.ts';
import { TEST_PASSWORD, type TestUsers } from '../support/clients/users.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const REAL: TestAppOptions = { passwords: {} };

/** A bcrypt hash of the lowest cost. */
const bcryptHash = bcrypt.hashSync(TEST_PASSWORD, 4);

/** A user store with `replacePasswordHash`, like `UPDATE ... WHERE password_hash = ?`. */
function replacing(users: TestUsers): UserStore {
  return {
    ...users,
    async replacePasswordHash(userId, { expected, replacement }) {
      if ((await users.findById(userId))?.passwordHash !== expected) return false;
      users.change(userId, { passwordHash: replacement });
      return true;
    },
  };
}

async function storedHash(app: TestApp): Promise<string> {
  return (await app.users.findById('ada'))?.passwordHash ?? '';
}

function expectWrong(response: HttpResponse): void {
  expect(errorOf(response)).toEqual({
    error: 'invalid_grant',
    error_description: 'The username or the password is wrong.',
  });
}

inEveryCell(
  'passwords as argon2id hashes',
  (test) => {
    test('are accepted if right; wrong passwords, unknown and disabled users get the same bytes', async (app) => {
      expect((await logIn(app, 'ada')).status).toBe(200);
      challengeOf(await logIn(app, 'grace'));
      for (const response of [
        await logIn(app, 'ada', { password: 'wrong' }),
        await logIn(app, 'grace', { password: 'wrong' }),
        await logIn(app, 'nobody'),
        await logIn(app, 'kurt'),
      ]) {
        expectWrong(response);
        expect(response.headers['content-length']).toBe('86');
      }
    });

    test('are rejected if the stored hash is missing or of an unknown scheme', async (app) => {
      for (const passwordHash of [null, '$scrypt$x']) {
        app.users.change('ada', { passwordHash });
        expectWrong(await logIn(app, 'ada'));
        expect(app.events.at(-1)).toMatchObject({ type: 'login.failed', reason: 'unusable_hash' });
      }
    });
  },
  REAL,
);

inEveryCell('password hashes of an existing users table', (test) => {
  const schemes = [bcryptScheme({ compare: bcrypt.compare })];

  test(
    'can be bcrypt, and are upgraded after the response with upgradeHashes',
    async (app) => {
      app.users.change('ada', { passwordHash: bcryptHash });
      expectWrong(await logIn(app, 'ada', { password: 'wrong' }));
      expect(await storedHash(app)).toBe(bcryptHash);
      expect((await logIn(app, 'ada')).status).toBe(200);
      await expect.poll(() => storedHash(app)).toMatch(/^\$argon2id\$/);
      expect((await logIn(app, 'ada')).status).toBe(200);
      expectWrong(await logIn(app, 'ada', { password: 'wrong' }));
    },
    { passwords: { schemes, upgradeHashes: true }, userStore: replacing },
  );

  test(
    'are not upgraded without upgradeHashes',
    async (app) => {
      app.users.change('ada', { passwordHash: bcryptHash });
      expect((await logIn(app, 'ada')).status).toBe(200);
      // Waits for an upgrade that may have begun.
      await app.auth.close();
      expect(await bcrypt.compare(TEST_PASSWORD, await storedHash(app))).toBe(true);
    },
    { passwords: { schemes }, userStore: replacing },
  );

  test(
    'cause a 503 at a login if the verifier of the host fails',
    async (app) => {
      expect(errorOf(await logIn(app, 'ada'), 503).error).toBe('temporarily_unavailable');
    },
    {
      passwords: {
        verifier: async () => {
          throw new Error('no user store server');
        },
      },
    },
  );
});
