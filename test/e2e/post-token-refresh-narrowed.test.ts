import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { refreshed } from '../support/clients/refresh-calls.ts';
import { errorOf, refresh, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell('POST /token by refresh token: scopes', (test) => {
  test('are those granted, less auth', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin,auth' });
    expect((await refreshed(app, tokens)).scope).toBe('user admin');
  });

  test('are those granted, less what the user has lost since', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin' });
    app.users.change('ada', { scopes: ['user'] });
    expect((await refreshed(app, tokens)).scope).toBe('user');
  });

  test('are rejected if nothing is left', async (app) => {
    const auth = await session(app, 'ada', { scopes: 'auth' });
    expect(errorOf(await refresh(app, auth.refresh_token)).error).toBe('invalid_scope');
    const admin = await session(app, 'ada', { scopes: 'admin' });
    app.users.change('ada', { scopes: ['user'] });
    expect(errorOf(await refresh(app, admin.refresh_token)).error).toBe('invalid_scope');
  });

  test('may narrow this one answer, and the grant stays', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin' });
    const narrowed = await refreshed(app, tokens, { scopes: 'user' });
    expect(narrowed.scope).toBe('user');
    expect(decodeJwt(narrowed.access_token)['scope']).toBe('user');
    expect((await refreshed(app, narrowed)).scope).toBe('user admin');
  });

  test('may never widen', async (app) => {
    const { refresh_token } = await session(app, 'ada', { scopes: 'user,auth' });
    for (const scopes of ['admin', 'user,admin', 'user,admin,auth']) {
      expect(errorOf(await refresh(app, refresh_token, { scopes })).error).toBe('invalid_scope');
    }
  });

  test('are left out if they were granted and the user has lost them since', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin,auth' });
    const repeated = await refreshed(app, tokens, { scope: 'user admin auth' });
    expect(repeated.scope).toBe('user admin');
    expect(decodeJwt(repeated.access_token)['scope']).toBe('user admin');
    app.users.change('ada', { scopes: ['user', 'auth'] });
    expect((await refreshed(app, repeated, { scope: 'user admin auth' })).scope).toBe('user');
    const auth = await refresh(app, repeated.refresh_token, { scope: 'auth' });
    expect(errorOf(auth).error).toBe('invalid_scope');
  });

  test('are not mentioned when the session is over', async (app) => {
    const { refresh_token } = await session(app);
    await app.auth.sessions.revokeAll('ada');
    const answer = await refresh(app, refresh_token, { scopes: 'admin' });
    expect(errorOf(answer).error).toBe('invalid_grant');
    expect(answer.body).toBe((await refresh(app, refresh_token)).body);
  });

  test('consume nothing when they are rejected', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    app.clock.advance(61_000);
    for (const scopes of ['admin', 'root', 'user,']) {
      expect(errorOf(await refresh(app, second.refresh_token, { scopes })).error).toBe(
        'invalid_scope',
      );
    }
    // If one of them had rotated, this would be reuse by now.
    app.clock.advance(61_000);
    await refreshed(app, second);
  });
});

inEveryCell('POST /token by refresh token: account_id', (test) => {
  test('may be given again', async (app) => {
    const tokens = await session(app, 'ada', { account_id: 2 });
    const again = await refreshed(app, tokens, { account_id: 2 });
    expect(decodeJwt(again.access_token)['account_id']).toBe(2);
  });

  test('stays bound if it is not given', async (app) => {
    const again = await refreshed(app, await session(app, 'ada', { account_id: 2 }));
    expect(decodeJwt(again.access_token)['account_id']).toBe(2);
  });

  test('may be chosen for this one answer if none was bound at login', async (app) => {
    const chosen = await refreshed(app, await session(app), { account_id: 1 });
    expect(decodeJwt(chosen.access_token)['account_id']).toBe(1);
    const next = await refreshed(app, chosen);
    expect(decodeJwt(next.access_token)).not.toHaveProperty('account_id');
  });

  test('is malformed if another was bound, and consumes nothing', async (app) => {
    const tokens = await session(app, 'ada', { account_id: 2 });
    for (const account_id of [1, 3]) {
      const answer = await refresh(app, tokens.refresh_token, { account_id });
      expect(errorOf(answer).error).toBe('invalid_request');
    }
    app.clock.advance(61_000);
    await refreshed(app, tokens);
  });

  test('is denied if it is not the user’s, and consumes nothing', async (app) => {
    const tokens = await session(app);
    const answer = await refresh(app, tokens.refresh_token, { account_id: 3 });
    expect(errorOf(answer, 403).error).toBe('access_denied');
    app.clock.advance(61_000);
    await refreshed(app, tokens);
  });
});
