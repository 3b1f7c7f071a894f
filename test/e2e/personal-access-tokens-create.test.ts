import { PERSONAL_ACCESS_TOKEN_PATTERN } from '@latchhook/core';
import { expect } from 'vitest';
import { listPats, makePat, managerOf, NEW_PAT, PATS } from '../support/clients/pat-calls.ts';
import { errorOf, type Fields } from '../support/clients/token-calls.ts';
import { bodyOf, callsOf } from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const DAY_MS = 86_400_000;

inEveryCell('POST /users/self/pats', (test) => {
  test('returns all fields and the token, which the list does not repeat', async (app) => {
    const manager = await managerOf(app);
    const response = await manager.send('POST', PATS, {
      name: 'nightly export',
      scopes: ['admin', 'user'],
      expiration_seconds: 3600,
      account_id: 2,
    });
    const body = bodyOf<Record<string, unknown>>(response, 201);
    expect(Object.keys(body)).toEqual([
      'id',
      'token',
      'name',
      'prefix',
      'scopes',
      'account_id',
      'created_at',
      'expires_at',
      'last_used_at',
    ]);
    const { token, created_at, expires_at, ...rest } = body;
    expect(token).toMatch(PERSONAL_ACCESS_TOKEN_PATTERN);
    expect(Date.parse(String(expires_at)) - Date.parse(String(created_at))).toBe(3_600_000);
    expect(rest).toEqual({
      id: expect.stringMatching(/^pat_[\w-]{22}$/),
      name: 'nightly export',
      prefix: String(token).slice(0, 11),
      scopes: ['user', 'admin'],
      account_id: 2,
      last_used_at: null,
    });
    expect(response.headers['cache-control']).toBe('no-store');
    expect(JSON.stringify(await listPats(manager))).not.toContain(token);
  });

  test('creates a token for 90 days by default and 366 days at most', async (app) => {
    const manager = await managerOf(app);
    const lifeOf = async (fields: Fields) => {
      const { created_at, expires_at } = await makePat(manager, fields);
      return Date.parse(expires_at) - Date.parse(created_at);
    };
    expect(await lifeOf({})).toBe(90 * DAY_MS);
    expect(await lifeOf({ expiration_seconds: 600 })).toBe(600_000);
    expect(await lifeOf({ expiration_seconds: 367 * 86_400 })).toBe(366 * DAY_MS);
    expect(await lifeOf({ expiration_seconds: Number.MAX_SAFE_INTEGER })).toBe(366 * DAY_MS);
  });

  test('names the field that is missing, mistyped or out of bounds', async (app) => {
    const manager = await managerOf(app);
    for (const [field, values] of Object.entries({
      name: [undefined, null, '', 7, 'x'.repeat(101), '😀'.repeat(101), 'a\u0000b', 'a\nb'],
      scopes: [undefined, null, 'user', { 0: 'user' }],
      expiration_seconds: [599, 0, -1, 600.5, '600', null, 2 ** 53],
      account_id: ['1', 1.5, null],
      account: [1],
    })) {
      for (const value of values) {
        const response = await manager.send('POST', PATS, { ...NEW_PAT, [field]: value });
        expect(errorOf(response).error, `${field} ${value}`).toBe('invalid_request');
        expect(errorOf(response).errors, `${field} ${value}`).toMatchObject([{ field }]);
      }
    }
    const scopes = Array<number>(5_000).fill(1);
    expect(errorOf(await manager.send('POST', PATS, { ...NEW_PAT, scopes })).errors).toEqual([
      { field: 'scopes.0', message: 'must be a string' },
    ]);
    const halfPair = '{"name":"\\ud800","scopes":["user"]}';
    expect(errorOf(await manager.send('POST', PATS, halfPair)).errors).toMatchObject([
      { field: 'name' },
    ]);
    expect(await listPats(manager)).toEqual([]);
  });

  test('rejects scopes that the owner is not entitled to, and auth', async (app) => {
    const manager = await managerOf(app);
    for (const scopes of [[], ['auth'], ['user', 'auth'], ['USER'], ['user '], ['user,admin']]) {
      const response = await manager.send('POST', PATS, { ...NEW_PAT, scopes });
      expect(errorOf(response).error, scopes.join()).toBe('invalid_scope');
    }
    app.users.change('ada', { scopes: ['user', 'auth'] });
    const response = await manager.send('POST', PATS, { ...NEW_PAT, scopes: ['admin'] });
    expect(errorOf(response).error).toBe('invalid_scope');
    expect((await makePat(manager, { scopes: ['user', 'user'] })).scopes).toEqual(['user']);
  });

  test('binds the token only to an account of the owner', async (app) => {
    const manager = await managerOf(app);
    expect((await makePat(manager)).account_id).toBeNull();
    expect((await makePat(manager, { account_id: 2 })).account_id).toBe(2);
    for (const account_id of [3, 0, -1, Number.MAX_SAFE_INTEGER]) {
      const response = await manager.send('POST', PATS, { ...NEW_PAT, account_id });
      expect(errorOf(response, 403).error).toBe('access_denied');
      expect(response.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
    }
  });

  test('binds the token to the account that the login is bound to', async (app) => {
    const bound = await callsOf(app, 'ada', { scopes: 'auth', account_id: 1 });
    expect((await makePat(bound)).account_id).toBe(1);
    expect((await makePat(bound, { account_id: 1 })).account_id).toBe(1);
    const response = await bound.send('POST', PATS, { ...NEW_PAT, account_id: 2 });
    expect(errorOf(response, 403).error).toBe('access_denied');
  });
});
