import { expect } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import {
  errorOf,
  get,
  logIn,
  postForm,
  postJson,
  refresh,
  revoke,
  session,
  tokensOf,
} from '../support/clients/token-calls.ts';
import { heldPasswords } from '../support/storage/held-passwords.ts';
import { comparable, inEveryCell } from '../support/storage/in-every-cell.ts';
import { GRACE_MS, SECOND_MS } from '../support/time/policy-times.ts';

async function isRefreshed(app: TestApp, refreshToken: string): Promise<boolean> {
  return (await refresh(app, refreshToken)).status === 200;
}

inEveryCell('POST /token/revoke', (test) => {
  test('ends the session of a refresh token', async (app) => {
    const { refresh_token } = await session(app);
    const response = await revoke(app, refresh_token);
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(errorOf(await refresh(app, refresh_token)).error).toBe('invalid_grant');
  });

  test('ends the session of an access token', async (app) => {
    const { access_token, refresh_token } = await session(app);
    expect((await revoke(app, access_token)).status).toBe(200);
    expect(await isRefreshed(app, refresh_token)).toBe(false);
  });

  test('ends the session of a refresh token of an older generation', async (app) => {
    const first = await session(app);
    const second = tokensOf(await refresh(app, first.refresh_token));
    await revoke(app, first.refresh_token);
    expect(await isRefreshed(app, second.refresh_token)).toBe(false);
  });

  test('gives the same response for a token that is revoked already or malformed', async (app) => {
    const { refresh_token, access_token } = await session(app);
    const first = await revoke(app, refresh_token);
    for (const token of [refresh_token, access_token, 'x', `${refresh_token}A`, 'a.b.c']) {
      const again = await revoke(app, token);
      expect([again.status, again.body]).toEqual([200, first.body]);
    }
  });

  test('accepts a form with a wrong token_type_hint, as in RFC 7009', async (app) => {
    const { refresh_token } = await session(app);
    const fields = { token: refresh_token, token_type_hint: 'access_token', client_id: 'web' };
    expect((await postForm(app, '/token/revoke', fields)).status).toBe(200);
    expect(await isRefreshed(app, refresh_token)).toBe(false);
  });

  test('accepts a token with white space around it', async (app) => {
    const first = await session(app);
    expect((await revoke(app, `\ufeff\t${first.refresh_token}\u00a0\n`)).status).toBe(200);
    expect(await isRefreshed(app, first.refresh_token)).toBe(false);
    const second = await session(app);
    const token = `${second.access_token}\n`;
    expect((await postForm(app, '/token/revoke', { token })).status).toBe(200);
    expect(await isRefreshed(app, second.refresh_token)).toBe(false);
  });

  test('rejects a token that is blank or not a string with invalid_request', async (app) => {
    for (const token of [undefined, null, 1, '', ' \n', ['x']]) {
      const error = errorOf(await postJson(app, '/token/revoke', { token }));
      expect(error).toMatchObject({ error: 'invalid_request', errors: [{ field: 'token' }] });
    }
  });
});

inEveryCell('the access token of an ended session', (test) => {
  test('is rejected immediately on routes of the host if it carries a sensitive scope', async (app) => {
    const { access_token, refresh_token } = await session(app, 'ada', { scopes: 'user,admin' });
    expect((await get(app, '/me', access_token)).status).toBe(200);
    await revoke(app, refresh_token);
    expect(errorOf(await get(app, '/me', access_token), 401).error).toBe('invalid_token');
  });

  test('is accepted on other routes until it expires if it has only scope user', async (app) => {
    const { access_token, refresh_token } = await session(app);
    await revoke(app, refresh_token);
    expect((await get(app, '/me', access_token)).status).toBe(200);
    app.clock.advance(3600_000);
    expect((await get(app, '/me', access_token)).status).toBe(401);
  });

  test('is rejected after a reuse of the refresh token', async (app) => {
    const first = await session(app, 'ada', { scopes: 'user,admin' });
    await refresh(app, first.refresh_token);
    app.clock.advance(GRACE_MS + SECOND_MS);
    expect(await isRefreshed(app, first.refresh_token)).toBe(false);
    expect((await get(app, '/me', first.access_token)).status).toBe(401);
  });
});

inEveryCell('auth.sessions', (test) => {
  test('ends one session of the user by revoke(), and the others by revokeAll()', async (app) => {
    const one = await session(app);
    app.clock.advance(1000);
    const two = await session(app);
    const alan = await session(app, 'alan');
    const [newest] = await app.auth.sessions.list('ada');
    expect(await app.auth.sessions.revoke('ada', newest?.sessionId ?? '')).toBe(true);
    expect(await isRefreshed(app, two.refresh_token)).toBe(false);
    expect(await isRefreshed(app, one.refresh_token)).toBe(true);
    await app.auth.sessions.revokeAll('ada');
    expect(await app.auth.sessions.list('ada')).toEqual([]);
    expect(await isRefreshed(app, alan.refresh_token)).toBe(true);
  });
});

inEveryCell('a pending login while the host ends all sessions of the user', (test) => {
  const passwords = heldPasswords();

  for (const [user, record] of [
    ['ada', 'session'],
    ['grace', 'challenge'],
  ] as const) {
    test(
      `creates no ${record}, and gets the error of a wrong password`,
      async (app) => {
        const wrong = await logIn(app, user, { password: 'wrong' });
        const checkStarted = passwords.hold();
        const pendingLogin = logIn(app, user);
        await checkStarted;
        // All within one millisecond.
        await app.auth.sessions.revokeAll(user);
        passwords.release();
        const response = await pendingLogin;
        expect(errorOf(response).error).toBe('invalid_grant');
        expect(comparable(response)).toEqual(comparable(wrong));
        expect(await app.auth.sessions.list(user)).toEqual([]);
        expect(app.events.at(-1)).toMatchObject({
          type: 'login.failed',
          userId: user,
          reason: 'revoked_meanwhile',
        });
        app.clock.advance(1);
        expect((await logIn(app, user)).status).toBe(user === 'ada' ? 200 : 401);
      },
      { passwords: passwords.options },
    );
  }
});
