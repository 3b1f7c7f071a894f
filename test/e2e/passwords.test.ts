import { pbkdf2Sync, scryptSync } from 'node:crypto';
import type { PasswordScheme, UserStore } from '@latchhook/core';
import { bcryptScheme, pbkdf2Scheme, scryptScheme } from '@latchhook/core';
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

/** Like `replacing`, but the user changes the password while the new hash is made. */
function replacingLate(users: TestUsers): UserStore {
  const { replacePasswordHash, ...others } = replacing(users);
  return {
    ...others,
    async replacePasswordHash(userId, change) {
      users.change(userId, { passwordHash: 'changed meanwhile' });
      return (await replacePasswordHash?.(userId, change)) ?? false;
    },
  };
}

/** A scheme with passwords in the clear that trims and folds the typed password. */
const folding: PasswordScheme = {
  name: 'folding',
  recognises: (hash) => hash.startsWith('folded:'),
  async verify(hash, password) {
    return hash === `folded:${password.trim().toLowerCase()}` ? 'match' : 'mismatch';
  },
};

function pbkdf2Hash(password: string, digest: 'sha1' | 'sha256'): string {
  const tag = pbkdf2Sync(password, 'salt', 1_000, digest === 'sha1' ? 20 : 32, digest);
  return `pbkdf2_${digest}$1000$salt$${tag.toString('base64')}`;
}

function scryptHash(password: string): string {
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const salt = Buffer.from('salt');
  const tag = scryptSync(password, salt, 32, { N: 1_024, r: 8, p: 1 });
  return `$scrypt$ln=10,r=8,p=1$${unpadded(salt)}$${unpadded(tag)}`;
}

const LONG = 'x'.repeat(72);
/** Two keys with equal HMAC-SHA-1: the second is the digest of the first. */
const HMAC_PAIR = [
  'plnlrtfpijpuhqylxbgqiiyipieyxvfsavzgxbbcfusqkozwpngsyejqlmjsytrmd',
  "eBkXQTfuBqp'cTcar&g*",
] as const;

/** A hash, the chosen password, and another password that the scheme accepts for the hash. */
const EQUAL_PASSWORDS: Readonly<
  Record<string, readonly [hash: string, chosen: string, equal: string]>
> = {
  'the first 72 bytes under bcrypt': [bcrypt.hashSync(`${LONG}real`, 4), `${LONG}real`, LONG],
  'more than 72 bytes under bcrypt': [bcrypt.hashSync(LONG, 4), LONG, `${LONG}x`],
  'a repetition after a NUL under bcrypt': [bcrypt.hashSync('abc', 4), 'abc', 'abc\0abc'],
  'the key and a NUL under PBKDF2': [pbkdf2Hash('abc', 'sha256'), 'abc', 'abc\0'],
  'the digest of a long key under PBKDF2': [pbkdf2Hash(HMAC_PAIR[0], 'sha1'), ...HMAC_PAIR],
  'a long key whose digest is the password under PBKDF2': [
    pbkdf2Hash(HMAC_PAIR[1], 'sha1'),
    HMAC_PAIR[1],
    HMAC_PAIR[0],
  ],
  'the key and a NUL under scrypt': [scryptHash('abc'), 'abc', 'abc\0'],
  'another spelling under a scheme that folds case': ['folded:ada', 'ada', ' ADA '],
};

async function setPassword(app: TestApp, password: string): Promise<void> {
  const result = await app.auth.passwords.hash(password);
  if (result.outcome !== 'hashed') throw new Error(`the password was ${result.outcome}`);
  app.users.change('ada', { passwordHash: result.passwordHash });
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

    test('are compared in Unicode normal form', async (app) => {
      await setPassword(app, 'pa\u0301ssword \u00e9t\u00e9');
      const composed = 'p\u00e1ssword \u00e9t\u00e9';
      for (const password of [composed, composed.normalize('NFD')]) {
        expect((await logIn(app, 'ada', { password })).status).toBe(200);
      }
      expectWrong(await logIn(app, 'ada', { password: 'password ete' }));
    });

    test('are compared to their last byte', async (app) => {
      const long = `${'x'.repeat(72)}a${'y'.repeat(183)}`;
      await setPassword(app, long);
      expect((await logIn(app, 'ada', { password: long })).status).toBe(200);
      for (const other of [long.replace('a', 'b'), long.slice(0, 72), `${long.slice(0, -1)}z`]) {
        expectWrong(await logIn(app, 'ada', { password: other }));
      }
    });

    test('may contain a NUL and are compared beyond it', async (app) => {
      await setPassword(app, 'a\u0000b');
      expect((await logIn(app, 'ada', { password: 'a\u0000b' })).status).toBe(200);
      expectWrong(await logIn(app, 'ada', { password: 'a' }));
      expectWrong(await logIn(app, 'ada', { password: 'a\u0000c' }));
    });

    for (const [what, passwordHash] of Object.entries({
      missing: null,
      'an argon2id hash of 4 GiB':
        '$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2g',
      'of an unknown scheme': '$scrypt$x',
      'an empty string': '',
      'the password itself': TEST_PASSWORD,
    })) {
      test(`are rejected if the stored hash is ${what}`, async (app) => {
        app.users.change('ada', { passwordHash });
        expectWrong(await logIn(app, 'ada'));
        expect(app.events).toMatchObject([{ type: 'login.failed', reason: 'unusable_hash' }]);
      });
    }
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
    'can be compared by passwords.verify() before an upgrade and after',
    async (app) => {
      app.users.change('ada', { passwordHash: bcryptHash });
      const { passwords } = app.auth;
      expect(await passwords.verify(await storedHash(app), TEST_PASSWORD)).toEqual({
        outcome: 'match',
        needsRehash: true,
      });
      expect((await logIn(app, 'ada')).status).toBe(200);
      await expect.poll(() => storedHash(app)).toMatch(/^\$argon2id\$/);
      expect(await passwords.verify(await storedHash(app), TEST_PASSWORD)).toEqual({
        outcome: 'match',
        needsRehash: false,
      });
      expect(await passwords.verify(await storedHash(app), 'wrong')).toEqual({
        outcome: 'mismatch',
        reason: 'wrong_password',
      });
    },
    { passwords: { schemes, upgradeHashes: true }, userStore: replacing },
  );

  for (const [what, [passwordHash, chosen, equal]] of Object.entries(EQUAL_PASSWORDS)) {
    test(
      `are not upgraded after a login by ${what}`,
      async (app) => {
        app.users.change('ada', { passwordHash });
        expect((await logIn(app, 'ada', { password: equal })).status).toBe(200);
        await app.auth.close();
        expect(await storedHash(app)).toBe(passwordHash);
        expect((await logIn(app, 'ada', { password: chosen })).status).toBe(200);
      },
      {
        passwords: {
          schemes: [...schemes, pbkdf2Scheme(), scryptScheme(), folding],
          upgradeHashes: true,
        },
        userStore: replacing,
      },
    );
  }

  test(
    'can be $2y$ hashes of PHP',
    async (app) => {
      app.users.change('ada', { passwordHash: bcryptHash.replace('$2b$', '$2y$') });
      expect((await logIn(app, 'ada')).status).toBe(200);
    },
    { passwords: { schemes } },
  );

  test(
    'stay changed if the user changes the password during an upgrade',
    async (app) => {
      app.users.change('ada', { passwordHash: bcryptHash });
      expect((await logIn(app, 'ada')).status).toBe(200);
      await expect
        .poll(() => app.events)
        .toContainEqual(expect.objectContaining({ type: 'password.rehashed', replaced: false }));
      expect(await storedHash(app)).toBe('changed meanwhile');
    },
    { passwords: { schemes, upgradeHashes: true }, userStore: replacingLate },
  );

  test(
    'are ignored if the host supplies a verifier',
    async (app) => {
      app.users.change('ada', { passwordHash: null });
      expect((await logIn(app, 'ada', { password: 'ada:secret' })).status).toBe(200);
      expectWrong(await logIn(app, 'ada', { password: TEST_PASSWORD }));
      expectWrong(await logIn(app, 'kurt', { password: 'kurt:secret' }));
      expectWrong(await logIn(app, 'nobody', { password: 'nobody:secret' }));
    },
    {
      passwords: {
        verifier: async (user, password) => password === `${user?.id ?? 'nobody'}:secret`,
      },
    },
  );

  test(
    'give 503 if the verifier of the host fails',
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
