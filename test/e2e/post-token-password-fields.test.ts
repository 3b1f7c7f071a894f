import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { errorOf, get, JSON_TYPE, logIn, session } from '../support/clients/token-calls.ts';
import { fieldsOf, V2_FIELDS } from '../support/clients/token-fields.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell('POST /token with the password grant', (test) => {
  test('assumes the grant password if none is named', async (app) => {
    expect((await logIn(app, 'ada')).status).toBe(200);
    expect((await logIn(app, 'ada', { grant_type: 'password' })).status).toBe(200);
  });

  test('rejects another grant with unsupported_grant_type', async (app) => {
    const response = await logIn(app, 'ada', { grant_type: 'client_credentials' });
    expect(errorOf(response).error).toBe('unsupported_grant_type');
  });

  test('names the field that has the wrong type or is out of bounds', async (app) => {
    for (const [field, values] of Object.entries({
      grant_type: [1, null, ['password'], {}],
      username: [1, null, true, ['ada@example.com'], { $ne: null }],
      password: [1, null, true, [TEST_PASSWORD], { $ne: null }, ''],
      account_id: ['1', null, true, 1.5, [1], {}, 2 ** 53],
      scopes: [1, null, true, ['user'], {}],
      scope: [1, null, ['user']],
      expiration_seconds: ['600', null, true, 600.5, [600], 2 ** 53, 599, 0, -600],
      refresh_token: [1, null, true, ['x'], {}],
    })) {
      for (const value of values) {
        const error = errorOf(await logIn(app, 'ada', { [field]: value }));
        expect(error.error, JSON.stringify(value)).toBe('invalid_request');
        expect(error.errors?.map((each) => each.field)).toEqual([field]);
      }
    }
  });

  test('requires a username and a password', async (app) => {
    for (const field of ['username', 'password']) {
      expect(errorOf(await logIn(app, 'ada', { [field]: undefined }))).toMatchObject({
        error: 'invalid_request',
        errors: [{ field, message: 'is required' }],
      });
    }
  });

  test('ignores unknown fields', async (app) => {
    const response = await logIn(app, 'ada', { client_id: 1, remember: [true], version: 'v1' });
    expect(fieldsOf(response)).toEqual(V2_FIELDS);
  });

  test('ignores a refresh token in the password grant', async (app) => {
    for (const refresh_token of ['', 'x']) {
      expect((await logIn(app, 'ada', { refresh_token })).status).toBe(200);
    }
  });

  test('accepts HTTP Basic, and ignores it', async (app) => {
    const body = JSON.stringify({ username: 'ada@example.com', password: TEST_PASSWORD });
    const authorization = ['authorization', `Basic ${btoa('client:secret')}`];
    const headers = [...JSON_TYPE, ...authorization];
    expect((await app.send({ method: 'POST', path: '/token', headers, body })).status).toBe(200);
  });
});

inEveryCell('account_id at POST /token', (test) => {
  test('binds the token to the account by a claim', async (app) => {
    const { access_token, accounts } = await session(app, 'ada', { account_id: 2 });
    expect(decodeJwt(access_token)['account_id']).toBe(2);
    expect(accounts).toEqual([1, 2]);
    expect((await get(app, '/accounts/2', access_token)).status).toBe(200);
    expect(errorOf(await get(app, '/accounts/1', access_token), 403).error).toBe('access_denied');
  });

  test('binds the token to no account if it is absent', async (app) => {
    const { access_token } = await session(app);
    expect(decodeJwt(access_token)).not.toHaveProperty('account_id');
    expect((await get(app, '/accounts/1', access_token)).status).toBe(200);
  });

  test('gets the same error for a foreign account as for an unknown one', async (app) => {
    const foreign = await logIn(app, 'ada', { account_id: 3 });
    const absent = await logIn(app, 'ada', { account_id: -999 });
    expect(errorOf(foreign, 403).error).toBe('access_denied');
    expect(absent.body).toBe(foreign.body);
  });

  test('is checked only after the password', async (app) => {
    const response = await logIn(app, 'ada', { account_id: 3, password: 'wrong' });
    expect(errorOf(response).error).toBe('invalid_grant');
  });
});

inEveryCell('expiration_seconds at POST /token', (test) => {
  test('sets the lifetime of the token from 600 s on', async (app) => {
    for (const seconds of [600, 601, 7200, 86_400]) {
      const tokens = await session(app, 'ada', { expiration_seconds: seconds });
      const { exp = 0, iat = 0 } = decodeJwt(tokens.access_token);
      expect([tokens.expires_in, exp - iat]).toEqual([seconds, seconds]);
    }
  });

  test('is clamped to the maximum, which expires_in states', async (app) => {
    for (const seconds of [86_401, Number.MAX_SAFE_INTEGER]) {
      const tokens = await session(app, 'ada', { expiration_seconds: seconds });
      expect(tokens.expires_in).toBe(86_400);
    }
  });
});
