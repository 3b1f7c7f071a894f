import {
  type Auth,
  bcryptScheme,
  createAuth,
  memoryStorage,
  toFetchHandler,
} from '@latchhook/core';
import bcrypt from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { refreshSecret, signingKey } from '../support/apps/test-app.ts';
import { HAS_POSTGRES, LIBRARY_NAMES, openLibrary } from './open-library.ts';

/** The fields of a response that the tests read. */
interface LoginResponse {
  readonly status: number;
  readonly body: {
    readonly access_token?: string;
    readonly refresh_token?: string;
    readonly challenge?: string;
    readonly error?: string;
  };
}

const ISSUER = 'https://api.example.com';
const PASSWORD = 'correct horse battery staple';

/** A bcrypt hash of the lowest cost. */
const BCRYPT_HASH = bcrypt.hashSync(PASSWORD, 4);

const ADA = {
  username: 'Ada@Example.com',
  passwordHash: BCRYPT_HASH,
  accounts: [1, 2],
  scopes: ['user', 'admin'],
} as const;

async function openApp(name: string) {
  const { userStore, tables } = await openLibrary(name);
  const auth = createAuth({
    issuer: ISSUER,
    users: userStore,
    storage: memoryStorage(),
    keys: { signing: signingKey, refreshSecrets: [refreshSecret] },
    throttle: false,
    passwords: { schemes: [bcryptScheme({ compare: bcrypt.compare })], upgradeHashes: true },
  });
  const handle = toFetchHandler(auth);
  const post = async (path: string, body: object): Promise<LoginResponse> => {
    const response = await handle(
      new Request(`${ISSUER}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    if (!response) throw new Error(`no route responds to ${path}`);
    return { status: response.status, body: (await response.json()) as LoginResponse['body'] };
  };
  const logIn = (change: object = {}) =>
    post('/token', { username: 'ada@example.com', password: PASSWORD, ...change });
  const refresh = ({ body }: LoginResponse) =>
    post('/token', { grant_type: 'refresh_token', refresh_token: body.refresh_token });
  const hashOf = async (userId: string) => (await userStore.findById(userId))?.passwordHash;
  return { auth, userStore, tables, post, logIn, refresh, hashOf };
}

/** Hashes a password like the guide. */
async function newHash(auth: Auth, password: string): Promise<string> {
  const result = await auth.passwords.hash(password);
  if (result.outcome !== 'hashed') throw new Error(`the password was ${result.outcome}`);
  return result.passwordHash;
}

describe.skipIf(!HAS_POSTGRES).each(LIBRARY_NAMES)('a login with the user store by %s', (name) => {
  it('accepts a bcrypt hash, upgrades it to argon2id, and can be refreshed', async () => {
    const { tables, logIn, refresh, hashOf } = await openApp(name);
    const { id } = await tables.addUser(ADA);
    const login = await logIn({ account_id: 2, scopes: 'user,admin' });
    expect(login.status).toBe(200);
    await expect.poll(() => hashOf(id)).toMatch(/^\$argon2id\$/);
    // The upgrade does not change the date of the password, so the session stays live.
    const refreshed = await refresh(login);
    expect(refreshed.status).toBe(200);
    expect((await refresh(refreshed)).status).toBe(200);
    expect((await logIn()).status).toBe(200);
    expect((await logIn({ password: 'wrong' })).body.error).toBe('invalid_grant');
  });

  it('is not refreshed for a user who is disabled, has lost the account or is deleted', async () => {
    const { tables, logIn, refresh } = await openApp(name);
    const { id } = await tables.addUser(ADA);
    const changes = {
      'UPDATE users SET disabled = true WHERE id = $1':
        'UPDATE users SET disabled = false WHERE id = $1',
      'DELETE FROM memberships WHERE user_id = $1 AND account_id = 2':
        'INSERT INTO memberships VALUES ($1, 2)',
    };
    for (const [change, undoing] of Object.entries(changes)) {
      const login = await logIn({ account_id: 2 });
      await tables.query(change, [id]);
      expect((await refresh(login)).body.error).toBe('invalid_grant');
      await tables.query(undoing, [id]);
      // The rejection consumed nothing.
      expect((await refresh(login)).status).toBe(200);
    }
    const login = await logIn();
    await tables.removeUser(id);
    expect((await refresh(login)).body.error).toBe('invalid_grant');
    expect((await logIn()).body.error).toBe('invalid_grant');
  });

  it('accepts a recovery code of the users table once', async () => {
    const { tables, logIn, post } = await openApp(name);
    const mfa = { totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' };
    const { id } = await tables.addUser({ ...ADA, mfa });
    await tables.addRecoveryCode?.(id, 'ABCDEFGHIJKLMNOP');
    const answerChallenge = async () => {
      const { body } = await logIn();
      return post('/token/challenge', { challenge: body.challenge, code: 'abcd-efgh-ijkl-mnop' });
    };
    expect((await answerChallenge()).status).toBe(200);
    expect((await answerChallenge()).body.error).toBe('invalid_grant');
  });

  it('ends when password_changed_at changes, and then needs the new password', async () => {
    const { auth, tables, logIn, refresh } = await openApp(name);
    const { id } = await tables.addUser(ADA);
    const login = await logIn();
    await tables.query(
      'UPDATE users SET password_hash = $2, password_changed_at = now() WHERE id = $1',
      [id, await newHash(auth, 'a new password')],
    );
    expect((await refresh(login)).body.error).toBe('invalid_grant');
    expect((await logIn()).body.error).toBe('invalid_grant');
    const again = await logIn({ password: 'a new password' });
    expect((await refresh(again)).status).toBe(200);
  });

  it('goes on after a change of only the password hash, while the other sessions are revoked', async () => {
    const { auth, tables, logIn, refresh } = await openApp(name);
    const { id } = await tables.addUser(ADA);
    const other = await logIn();
    const [otherSession] = await auth.sessions.list(id);
    const own = await logIn();
    const ownSession = (await auth.sessions.list(id)).find(
      ({ sessionId }) => sessionId !== otherSession?.sessionId,
    );
    await tables.query('UPDATE users SET password_hash = $2 WHERE id = $1', [
      id,
      await newHash(auth, 'a new password'),
    ]);
    await auth.sessions.revokeOthers(id, ownSession?.sessionId ?? '');
    expect((await refresh(other)).body.error).toBe('invalid_grant');
    expect((await refresh(own)).status).toBe(200);
  });
});
