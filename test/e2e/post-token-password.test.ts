import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from 'jose';
import { expect } from 'vitest';
import type { HttpResponse } from '../hosts/send-request.ts';
import { ISSUER } from '../support/apps/test-app.ts';
import {
  challengeOf,
  errorOf,
  get,
  logIn,
  session,
  tokensOf,
} from '../support/clients/token-calls.ts';
import { fieldsOf, V1_FIELDS, V2_FIELDS } from '../support/clients/token-fields.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';

onEnginesToo('the token response of POST /token by password', (test) => {
  test('has exactly the five fields in v1', async (app) => {
    const response = await logIn(app, 'ada', {}, '?version=v1');
    expect(response.status).toBe(200);
    expect(fieldsOf(response)).toEqual(V1_FIELDS);
  });

  test('has scope and refresh_expires_in too in v2', async (app) => {
    const response = await logIn(app, 'ada', {}, '?version=v2');
    expect(fieldsOf(response)).toEqual(V2_FIELDS);
    expect(tokensOf(response)).toMatchObject({
      scope: 'user',
      refresh_expires_in: 30 * 86_400,
    });
  });

  test('has token_type bearer and whole seconds', async (app) => {
    const tokens = await session(app);
    expect(tokens.token_type).toBe('bearer');
    expect(tokens.expires_in).toBe(3600);
  });

  test('has no challenge, and a challenge response has no token', async (app) => {
    expect(fieldsOf(await logIn(app, 'ada'))).not.toContain('challenge');
    expect(fieldsOf(await logIn(app, 'grace'))).not.toContain('access_token');
  });

  test('has a refresh token that is rejected as an access token', async (app) => {
    const { refresh_token } = await session(app);
    expect(errorOf(await get(app, '/me', refresh_token), 401).error).toBe('invalid_token');
  });
});

onEnginesToo('the access token of POST /token by password', (test) => {
  test('is an RFC 9068 token signed by a published key', async (app) => {
    const { access_token } = await session(app);
    const jwks = JSON.parse((await get(app, '/.well-known/jwks.json')).body);
    expect(decodeProtectedHeader(access_token)).toEqual({
      typ: 'at+jwt',
      alg: 'ES256',
      kid: await calculateJwkThumbprint(jwks.keys[0]),
    });
  });

  test('has exactly the documented claims', async (app) => {
    const { access_token } = await session(app, 'ada', { scopes: 'user,admin' });
    const nowSeconds = Math.floor(app.clock.nowMs() / 1000);
    expect(decodeJwt(access_token)).toEqual({
      iss: ISSUER,
      aud: ISSUER,
      sub: 'ada',
      iat: nowSeconds,
      exp: nowSeconds + 3600,
      jti: expect.any(String),
      client_id: 'first-party',
      scope: 'user admin',
      sid: expect.any(String),
      accounts: [1, 2],
      auth_time: nowSeconds,
      amr: ['pwd'],
    });
  });

  test(
    'has the configured audience and client_id',
    async (app) => {
      const { access_token } = await session(app);
      expect(decodeJwt(access_token)).toMatchObject({ aud: 'contacts', client_id: 'web' });
      expect((await get(app, '/me', access_token)).status).toBe(200);
    },
    { auth: { audience: 'contacts', clientId: 'web' } },
  );
});

onEnginesToo('the challenge response of POST /token by password', (test) => {
  test('has only the field challenge in v1', async (app) => {
    const response = await logIn(app, 'grace', {}, '?version=v1');
    expect(response.status).toBe(401);
    expect(fieldsOf(response)).toEqual(['challenge']);
  });

  test('has the error, lifetime and methods in v2', async (app) => {
    const response = await logIn(app, 'grace');
    expect(challengeOf(response)).toEqual({
      challenge: expect.any(String),
      error: 'mfa_required',
      error_description: expect.any(String),
      challenge_expires_in: 300,
      methods: ['totp', 'recovery_code'],
    });
  });

  test('has no WWW-Authenticate, which makes stock clients hide the body', async (app) => {
    const { headers } = await logIn(app, 'grace');
    expect(headers['www-authenticate']).toBeUndefined();
    expect(headers['cache-control']).toBe('no-store');
  });

  test('comes only after the right password', async (app) => {
    const wrong = { password: 'wrong' };
    const ofGrace = await logIn(app, 'grace', wrong);
    expect(errorOf(ofGrace).error).toBe('invalid_grant');
    expect(ofGrace.body).toBe((await logIn(app, 'ada', wrong)).body);
  });

  test('comes only if the account and the scopes are allowed', async (app) => {
    const foreign = await logIn(app, 'grace', { account_id: 1 });
    expect(errorOf(foreign, 403).error).toBe('access_denied');
    const unentitled = await logIn(app, 'grace', { scopes: 'internal' });
    expect(errorOf(unentitled).error).toBe('invalid_scope');
    expect(app.events.map(({ type }) => type)).not.toContain('challenge.created');
  });
});

onEnginesToo('version at POST /token', (test) => {
  test('is rejected if it is unknown, empty or repeated', async (app) => {
    for (const query of ['?version=v3', '?version=', '?version=V1', '?version=v1&version=v1']) {
      expect(errorOf(await logIn(app, 'ada', {}, query)).error, query).toBe('invalid_request');
    }
  });

  test('has no effect on errors', async (app) => {
    for (const fields of [{ password: 'wrong' }, { password: 1 }, { scopes: 'nobody' }]) {
      const v1 = await logIn(app, 'ada', fields, '?version=v1');
      const v2 = await logIn(app, 'ada', fields, '?version=v2');
      expect(v1.body).toBe(v2.body);
    }
  });
});

onEnginesToo('POST /token by password', (test) => {
  test('rejects unknown users, disabled users and wrong passwords with the same bytes', async (app) => {
    const responses = [
      await logIn(app, 'nobody'),
      await logIn(app, 'ada', { password: 'wrong' }),
      await logIn(app, 'kurt'),
      await logIn(app, 'kurt', { password: 'wrong' }),
      await logIn(app, '', { username: 'ada@elsewhere.example' }),
    ];
    expect(errorOf(responses[0] as HttpResponse).error).toBe('invalid_grant');
    for (const { status, body, headers } of responses) {
      expect({ status, body, headers: { ...headers, date: '' } }).toEqual({
        status: 400,
        body: responses[0]?.body,
        headers: { ...responses[0]?.headers, date: '' },
      });
    }
  });
});
