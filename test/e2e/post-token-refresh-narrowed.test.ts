import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { refreshed } from '../support/clients/refresh-calls.ts';
import { errorOf, refresh, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { GRACE_MS, SECOND_MS } from '../support/time/policy-times.ts';

inEveryCell('the scopes of POST /token by refresh token', (test) => {
  test('are the granted ones except auth', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin,auth' });
    expect((await refreshed(app, tokens)).scope).toBe('user admin');
  });

  test('exclude scopes that the user has lost', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin' });
    app.users.change('ada', { scopes: ['user'] });
    expect((await refreshed(app, tokens)).scope).toBe('user');
  });

  test('are rejected if none remain', async (app) => {
    const auth = await session(app, 'ada', { scopes: 'auth' });
    expect(errorOf(await refresh(app, auth.refresh_token)).error).toBe('invalid_scope');
    const admin = await session(app, 'ada', { scopes: 'admin' });
    app.users.change('ada', { scopes: ['user'] });
    expect(errorOf(await refresh(app, admin.refresh_token)).error).toBe('invalid_scope');
  });

  test('may be narrowed for one access token, while the grant stays', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin' });
    const narrowed = await refreshed(app, tokens, { scopes: 'user' });
    expect(narrowed.scope).toBe('user');
    expect(decodeJwt(narrowed.access_token)['scope']).toBe('user');
    expect((await refreshed(app, narrowed)).scope).toBe('user admin');
  });

  test('can never be widened', async (app) => {
    const { refresh_token } = await session(app, 'ada', { scopes: 'user,auth' });
    for (const scopes of ['admin', 'user,admin', 'user,admin,auth']) {
      expect(errorOf(await refresh(app, refresh_token, { scopes })).error).toBe('invalid_scope');
    }
  });

  test('exclude auth and lost scopes even if they are requested', async (app) => {
    const tokens = await session(app, 'ada', { scopes: 'user,admin,auth' });
    const repeated = await refreshed(app, tokens, { scope: 'user admin auth' });
    expect(repeated.scope).toBe('user admin');
    expect(decodeJwt(repeated.access_token)['scope']).toBe('user admin');
    app.users.change('ada', { scopes: ['user', 'auth'] });
    expect((await refreshed(app, repeated, { scope: 'user admin auth' })).scope).toBe('user');
    const auth = await refresh(app, repeated.refresh_token, { scope: 'auth' });
    expect(errorOf(auth).error).toBe('invalid_scope');
  });

  test('are not checked once the session is over', async (app) => {
    const { refresh_token } = await session(app);
    await app.auth.sessions.revokeAll('ada');
    const response = await refresh(app, refresh_token, { scopes: 'admin' });
    expect(errorOf(response).error).toBe('invalid_grant');
    expect(response.body).toBe((await refresh(app, refresh_token)).body);
  });

  test('do not consume the token when they are rejected', async (app) => {
    const first = await session(app);
    const second = await refreshed(app, first);
    app.clock.advance(GRACE_MS + SECOND_MS);
    for (const scopes of ['admin', 'root', 'user,']) {
      expect(errorOf(await refresh(app, second.refresh_token, { scopes })).error).toBe(
        'invalid_scope',
      );
    }
    // If one of them had rotated, this would be reuse by now.
    app.clock.advance(GRACE_MS + SECOND_MS);
    await refreshed(app, second);
  });
});

inEveryCell('account_id at POST /token by refresh token', (test) => {
  test('may repeat the account of the login', async (app) => {
    const tokens = await session(app, 'ada', { account_id: 2 });
    const again = await refreshed(app, tokens, { account_id: 2 });
    expect(decodeJwt(again.access_token)['account_id']).toBe(2);
  });

  test('defaults to the account of the login', async (app) => {
    const again = await refreshed(app, await session(app, 'ada', { account_id: 2 }));
    expect(decodeJwt(again.access_token)['account_id']).toBe(2);
  });

  test('applies to one access token if the login is bound to no account', async (app) => {
    const chosen = await refreshed(app, await session(app), { account_id: 1 });
    expect(decodeJwt(chosen.access_token)['account_id']).toBe(1);
    const next = await refreshed(app, chosen);
    expect(decodeJwt(next.access_token)).not.toHaveProperty('account_id');
  });

  test('is rejected with 400 if the login is bound to another account, and does not consume the token', async (app) => {
    const tokens = await session(app, 'ada', { account_id: 2 });
    for (const account_id of [1, 3]) {
      const response = await refresh(app, tokens.refresh_token, { account_id });
      expect(errorOf(response).error).toBe('invalid_request');
    }
    app.clock.advance(GRACE_MS + SECOND_MS);
    await refreshed(app, tokens);
  });

  test('is rejected with 403 if the user lacks the account, and does not consume the token', async (app) => {
    const tokens = await session(app);
    const response = await refresh(app, tokens.refresh_token, { account_id: 3 });
    expect(errorOf(response, 403).error).toBe('access_denied');
    app.clock.advance(GRACE_MS + SECOND_MS);
    await refreshed(app, tokens);
  });
});
