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

  test('may come with an empty scope, which is ignored', async (app) => {
    expect((await session(app, 'ada', { scope: '' })).scope).toBe('user');
    expect((await session(app, 'ada', { scope: '', scopes: 'admin' })).scope).toBe('admin');
  });

  test('may be given space-separated in scope, as in RFC 6749', async (app) => {
    expect((await session(app, 'ada', { scope: 'user admin' })).scope).toBe('user admin');
    expect(errorOf(await logIn(app, 'ada', { scope: 'user,admin' })).error).toBe('invalid_scope');
  });

  test('are rejected together with scope', async (app) => {
    const answer = await logIn(app, 'ada', { scope: 'user', scopes: 'user' });
    expect(errorOf(answer).error).toBe('invalid_request');
  });

  test('must be within those that the user store allows the user', async (app) => {
    expect(errorOf(await logIn(app, 'alan', { scopes: 'admin' })).error).toBe('invalid_scope');
    app.users.change('alan', { scopes: ['user', 'admin'] });
    expect((await session(app, 'alan', { scopes: 'admin' })).scope).toBe('admin');
  });

  test('are checked only after the password', async (app) => {
    const answer = await logIn(app, 'alan', { scopes: 'admin', password: 'wrong' });
    expect(errorOf(answer).error).toBe('invalid_grant');
  });
});
