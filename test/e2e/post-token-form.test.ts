import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { errorOf, postForm, postJson, tokensOf } from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

inEveryCell('POST /token as a form', (test) => {
  const login = { username: 'ada@example.com', password: TEST_PASSWORD };

  test('logs in with the parameters that stock clients send', async (app) => {
    const response = await postForm(app, '/token', {
      ...login,
      grant_type: 'password',
      scope: 'user admin',
      client_id: 'web',
    });
    expect(tokensOf(response).scope).toBe('user admin');
  });

  test('accepts integers as text and scopes separated by commas', async (app) => {
    const response = await postForm(app, '/token', {
      ...login,
      account_id: '2',
      expiration_seconds: '900',
      scopes: 'user,admin',
    });
    const tokens = tokensOf(response);
    expect([tokens.expires_in, tokens.scope]).toEqual([900, 'user admin']);
    expect(decodeJwt(tokens.access_token)['account_id']).toBe(2);
  });

  test('rejects an expiration_seconds that is not an integer of at least 600 in decimal digits', async (app) => {
    for (const expiration_seconds of ['600.5', '6e2', '599', 'x', ' 600', '0x258']) {
      const response = await postForm(app, '/token', { ...login, expiration_seconds });
      expect(errorOf(response).error, expiration_seconds).toBe('invalid_request');
    }
  });

  test('rejects a repeated parameter', async (app) => {
    const body = `${new URLSearchParams(login)}&password=other`;
    const headers = ['content-type', 'application/x-www-form-urlencoded'];
    const response = await app.send({ method: 'POST', path: '/token', headers, body });
    expect(errorOf(response).error).toBe('invalid_request');
  });

  test('gets the same error as JSON for a wrong password', async (app) => {
    const form = await postForm(app, '/token', { ...login, password: 'wrong' });
    const json = await postJson(app, '/token', { ...login, password: 'wrong' });
    expect(form.body).toBe(json.body);
  });
});
