import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { errorOf, logIn, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell('scopes at POST /token', (test) => {
  test('default to user', async (app) => {
    expect((await session(app)).scope).toBe('user');
  });

  for (const [scopes, granted] of [
    ['user,admin,internal,auth', 'user admin internal auth'],
    ['admin', 'admin'],
    ['user , admin', 'user admin'],
    ['user,user', 'user'],
    ['auth,user', 'user auth'],
  ] as const) {
    test(`grant ${granted} for ${JSON.stringify(scopes)}`, async (app) => {
      const tokens = await session(app, 'ada', { scopes });
      expect(tokens.scope).toBe(granted);
      expect(decodeJwt(tokens.access_token)['scope']).toBe(granted);
    });
  }

  for (const scopes of ['user,,admin', ',', '', 'user,', 'user admin', 'USER', ' user', 'root']) {
    test(`are rejected as ${JSON.stringify(scopes)}`, async (app) => {
      expect(errorOf(await logIn(app, 'ada', { scopes })).error).toBe('invalid_scope');
    });
  }

  test('are granted if the request also has an empty scope', async (app) => {
    expect((await session(app, 'ada', { scope: '' })).scope).toBe('user');
    expect((await session(app, 'ada', { scope: '', scopes: 'admin' })).scope).toBe('admin');
  });

  test('are granted if sent space-separated in scope, as in RFC 6749', async (app) => {
    expect((await session(app, 'ada', { scope: 'user admin' })).scope).toBe('user admin');
    expect(errorOf(await logIn(app, 'ada', { scope: 'user,admin' })).error).toBe('invalid_scope');
  });

  test('are rejected if the request has both scopes and scope', async (app) => {
    const response = await logIn(app, 'ada', { scope: 'user', scopes: 'user' });
    expect(errorOf(response).error).toBe('invalid_request');
  });

  test('are rejected with invalid_scope if the user store does not grant them to the user', async (app) => {
    expect(errorOf(await logIn(app, 'alan', { scopes: 'admin' })).error).toBe('invalid_scope');
    app.users.change('alan', { scopes: ['user', 'admin'] });
    expect((await session(app, 'alan', { scopes: 'admin' })).scope).toBe('admin');
  });

  test('are checked only after the password', async (app) => {
    const response = await logIn(app, 'alan', { scopes: 'admin', password: 'wrong' });
    expect(errorOf(response).error).toBe('invalid_grant');
  });
});
