import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { errorOf, logIn, session } from '../support/clients/token-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell('scopes at POST /token', (test) => {
  test('default to user', async (app) => {
    expect((await session(app)).scope).toBe('user');
  });

  test('are granted in canonical order, each once, in the response and the token', async (app) => {
    for (const [scopes, granted] of [
      ['internal,auth , admin,user,user', 'user admin internal auth'],
      ['admin', 'admin'],
    ]) {
      const tokens = await session(app, 'ada', { scopes });
      expect(tokens.scope).toBe(granted);
      expect(decodeJwt(tokens.access_token)['scope']).toBe(granted);
    }
  });

  test('are rejected with invalid_scope if malformed or unknown', async (app) => {
    for (const scopes of ['', 'user,', 'user admin', 'root']) {
      expect(errorOf(await logIn(app, 'ada', { scopes })).error, scopes).toBe('invalid_scope');
    }
  });

  test('are granted if sent space-separated in scope, as in RFC 6749', async (app) => {
    expect((await session(app, 'ada', { scope: 'user admin' })).scope).toBe('user admin');
    expect(errorOf(await logIn(app, 'ada', { scope: 'user,admin' })).error).toBe('invalid_scope');
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
