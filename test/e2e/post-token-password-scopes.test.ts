import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { errorOf, logIn, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell('POST /token: scopes', (test) => {
  test('are user if none is named', async (app) => {
    expect((await session(app)).scope).toBe('user');
  });

  for (const [scopes, granted] of [
    ['user,admin,internal,auth', 'user admin internal auth'],
    ['admin', 'admin'],
    ['user , admin', 'user admin'],
    ['user,user', 'user'],
    ['auth,user', 'user auth'],
  ] as const) {
    test(`grants ${granted} for ${JSON.stringify(scopes)}`, async (app) => {
      const tokens = await session(app, 'ada', { scopes });
      expect(tokens.scope).toBe(granted);
      expect(decodeJwt(tokens.access_token)['scope']).toBe(granted);
    });
  }

  for (const scopes of ['user,,admin', ',', '', 'user,', 'user admin', 'USER', ' user', 'root']) {
    test(`does not know ${JSON.stringify(scopes)}`, async (app) => {
      expect(errorOf(await logIn(app, 'ada', { scopes })).error).toBe('invalid_scope');
    });
  }

  test('may be left out by an empty scope, in JSON as in a form', async (app) => {
    expect((await session(app, 'ada', { scope: '' })).scope).toBe('user');
    expect((await session(app, 'ada', { scope: '', scopes: 'admin' })).scope).toBe('admin');
  });

  test('may be named in RFC 6749’s scope, space separated', async (app) => {
    expect((await session(app, 'ada', { scope: 'user admin' })).scope).toBe('user admin');
    expect(errorOf(await logIn(app, 'ada', { scope: 'user,admin' })).error).toBe('invalid_scope');
  });

  test('may not be named in both', async (app) => {
    const answer = await logIn(app, 'ada', { scope: 'user', scopes: 'user' });
    expect(errorOf(answer).error).toBe('invalid_request');
  });

  test('must be those that the host’s user store allows the user', async (app) => {
    expect(errorOf(await logIn(app, 'alan', { scopes: 'admin' })).error).toBe('invalid_scope');
    app.users.change('alan', { scopes: ['user', 'admin'] });
    expect((await session(app, 'alan', { scopes: 'admin' })).scope).toBe('admin');
  });

  test('are compared with the user’s only after the password was right', async (app) => {
    const answer = await logIn(app, 'alan', { scopes: 'admin', password: 'wrong' });
    expect(errorOf(answer).error).toBe('invalid_grant');
  });
});
