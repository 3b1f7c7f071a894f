import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { expectDeadToken, refreshed } from '../support/clients/refresh-calls.ts';
import {
  errorOf,
  postForm,
  postJson,
  refresh,
  session,
  tokensOf,
} from '../support/clients/token-calls.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';
import { storageSwitch } from '../support/storage/storage-switch.ts';

onEnginesToo('POST /token by refresh token', (test) => {
  test('returns a new access token and a rotated refresh token', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.access_token).not.toBe(first.access_token);
    expect(second).toMatchObject({ token_type: 'bearer', expires_in: 3600, accounts: [1, 2] });
  });

  test('defaults to version v2, and supports v1', async (app) => {
    const { refresh_token } = await session(app);
    const v2 = Object.keys(JSON.parse((await refresh(app, refresh_token)).body));
    const v1 = Object.keys(JSON.parse((await refresh(app, refresh_token, {}, '?version=v1')).body));
    expect(v2.slice(5)).toEqual(['scope', 'refresh_expires_in']);
    expect(v1).toEqual(v2.slice(0, 5));
  });

  test('keeps the session, auth_time and amr', async (app) => {
    const first = await session(app);
    app.clock.advance(1000 * 1000);
    const before = decodeJwt(first.access_token);
    const after = decodeJwt((await refreshed(app, first)).access_token);
    for (const name of ['sid', 'auth_time', 'amr', 'sub'])
      expect(after[name]).toEqual(before[name]);
    expect(after.iat).toBe((before.iat ?? 0) + 1000);
    expect(after.jti).not.toBe(before.jti);
  });

  test('applies expiration_seconds as a login does', async (app) => {
    let tokens = await session(app);
    for (const [requestedSeconds, expectedSeconds] of [
      [600, 600],
      [1e9, 86_400],
    ]) {
      tokens = await refreshed(app, tokens, { expiration_seconds: requestedSeconds });
      expect(tokens.expires_in).toBe(expectedSeconds);
    }
    const response = await refresh(app, tokens.refresh_token, { expiration_seconds: 599 });
    expect(errorOf(response).error).toBe('invalid_request');
  });

  test('accepts a form, with scope and client_id', async (app) => {
    const { refresh_token } = await session(app, 'ada', { scopes: 'user,admin' });
    const fields = { grant_type: 'refresh_token', refresh_token, scope: 'admin', client_id: 'web' };
    expect(tokensOf(await postForm(app, '/token', fields)).scope).toBe('admin');
  });

  test('requires a refresh_token that is a string', async (app) => {
    for (const refresh_token of [undefined, 1, null, '', ['x'], {}]) {
      const response = await postJson(app, '/token', {
        grant_type: 'refresh_token',
        refresh_token,
      });
      expect(errorOf(response).errors?.[0]?.field).toBe('refresh_token');
    }
  });

  test('ignores a username and a password', async (app) => {
    const { refresh_token } = await session(app);
    const fields = { username: 'nobody', password: '' };
    expect((await refresh(app, refresh_token, fields)).status).toBe(200);
  });

  test('rejects a username or a password that is not a string', async (app) => {
    const { refresh_token } = await session(app);
    for (const field of ['username', 'password']) {
      for (const value of [5, null, true, ['x'], {}]) {
        const response = await refresh(app, refresh_token, { [field]: value });
        expect(errorOf(response)).toMatchObject({
          error: 'invalid_request',
          errors: [{ field, message: 'must be a string' }],
        });
      }
    }
    expect((await refresh(app, refresh_token)).status).toBe(200);
  });
});

onEnginesToo('POST /token by refresh token after a change of the user', (test) => {
  test('rejects a disabled user with invalid_grant until the user is enabled', async (app) => {
    const tokens = await session(app);
    app.users.change('ada', { disabled: true });
    await expectDeadToken(app, tokens);
    app.users.change('ada', { disabled: false });
    expect((await refresh(app, tokens.refresh_token)).status).toBe(200);
  });

  test('returns the current accounts', async (app) => {
    const tokens = await session(app);
    app.users.change('ada', { accounts: [1, 5] });
    const now = await refreshed(app, tokens);
    expect(now.accounts).toEqual([1, 5]);
    expect(decodeJwt(now.access_token)['accounts']).toEqual([1, 5]);
  });

  test('rejects a session that began before a change of the password with invalid_grant', async (app) => {
    const tokens = await session(app);
    app.clock.advance(1000);
    app.users.change('ada', { passwordChangedAtMs: app.clock.nowMs() });
    await expectDeadToken(app, tokens);
    app.clock.advance(1000);
    await refreshed(app, await session(app));
  });
});

const storage = storageSwitch();

onEnginesToo(
  'POST /token with a tampered refresh token',
  (test) => {
    test('makes no storage call', async (app) => {
      const { refresh_token } = await session(app);
      storage.calls = 0;
      const bytes = Buffer.from(refresh_token.slice('lh_rt_'.length), 'base64url');
      for (let index = 0; index < bytes.length; index += 7) {
        const flipped = Buffer.from(bytes);
        flipped[index] = (flipped[index] ?? 0) ^ 1;
        const response = await refresh(app, `lh_rt_${flipped.toString('base64url')}`);
        expect(errorOf(response).error).toBe('invalid_grant');
      }
      expect(storage.calls).toBe(0);
      await refresh(app, refresh_token);
      expect(storage.calls).toBe(1);
    });
  },
  { wrapStorage: storage.wrap },
);
