import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from 'jose';
import { expect } from 'vitest';
import type { Answer } from '../hosts/send-request.ts';
import { inEveryCell } from '../support/in-every-cell.ts';
import { ISSUER } from '../support/test-app.ts';
import {
  challengeOf,
  errorOf,
  get,
  JSON_TYPE,
  logIn,
  postForm,
  postJson,
  session,
  tokensOf,
} from '../support/token-calls.ts';
import { TEST_PASSWORD } from '../support/users.ts';

const V1_FIELDS = ['access_token', 'token_type', 'expires_in', 'refresh_token', 'accounts'];
const V2_FIELDS = [...V1_FIELDS, 'scope', 'refresh_expires_in'];

function fieldsOf({ body }: Answer): readonly string[] {
  return Object.keys(JSON.parse(body));
}

inEveryCell('POST /token by password: the success variant', (claim) => {
  claim('has exactly the five fields in v1', async (app) => {
    const answer = await logIn(app, 'ada', {}, '?version=v1');
    expect(answer.status).toBe(200);
    expect(fieldsOf(answer)).toEqual(V1_FIELDS);
  });

  claim('has scope and refresh_expires_in besides in v2', async (app) => {
    const answer = await logIn(app, 'ada', {}, '?version=v2');
    expect(fieldsOf(answer)).toEqual(V2_FIELDS);
    expect(tokensOf(answer)).toMatchObject({
      scope: 'user',
      refresh_expires_in: 30 * 86_400,
    });
  });

  claim('is of v2 where no version is named', async (app) => {
    expect(fieldsOf(await logIn(app, 'ada'))).toEqual(V2_FIELDS);
  });

  claim('has a token_type that is always bearer, and seconds that are an integer', async (app) => {
    const tokens = await session(app);
    expect(tokens.token_type).toBe('bearer');
    expect(tokens.expires_in).toBe(3600);
  });

  claim('lists the accounts of the user, each once', async (app) => {
    app.users.change('ada', { accounts: [2, 1, 2] });
    expect((await session(app)).accounts).toEqual([2, 1]);
    app.users.change('ada', { accounts: [] });
    expect((await session(app)).accounts).toEqual([]);
  });

  claim('has no challenge, and the challenge variant has no token', async (app) => {
    expect(fieldsOf(await logIn(app, 'ada'))).not.toContain('challenge');
    expect(fieldsOf(await logIn(app, 'grace'))).not.toContain('access_token');
  });

  claim('holds a refresh token that is never taken for an access token', async (app) => {
    const { refresh_token } = await session(app);
    expect(errorOf(await get(app, '/me', refresh_token), 401).error).toBe('invalid_token');
  });

  claim('is typed as JSON in UTF-8, not to be stored nor sniffed', async (app) => {
    expect((await logIn(app, 'ada')).headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'x-content-type-options': 'nosniff',
    });
  });
});

inEveryCell('POST /token by password: the access token', (claim) => {
  claim('is an RFC 9068 token signed by a published key', async (app) => {
    const { access_token } = await session(app);
    const jwks = JSON.parse((await get(app, '/.well-known/jwks.json')).body);
    expect(decodeProtectedHeader(access_token)).toEqual({
      typ: 'at+jwt',
      alg: 'ES256',
      kid: await calculateJwkThumbprint(jwks.keys[0]),
    });
  });

  claim('says all that the interface lists, and no more', async (app) => {
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

  claim(
    'names another audience and client where they are configured',
    async (app) => {
      const { access_token } = await session(app);
      expect(decodeJwt(access_token)).toMatchObject({ aud: 'contacts', client_id: 'web' });
      expect((await get(app, '/me', access_token)).status).toBe(200);
    },
    { auth: { audience: 'contacts', clientId: 'web' } },
  );

  claim('has a jti of its own each time', async (app) => {
    const [one, two] = [await session(app), await session(app)];
    expect(decodeJwt(one.access_token).jti).not.toBe(decodeJwt(two.access_token).jti);
  });
});

inEveryCell('POST /token by password: the challenge variant', (claim) => {
  claim('has exactly the challenge in v1', async (app) => {
    const answer = await logIn(app, 'grace', {}, '?version=v1');
    expect(answer.status).toBe(401);
    expect(fieldsOf(answer)).toEqual(['challenge']);
  });

  claim('says what to do with it in v2', async (app) => {
    const answer = await logIn(app, 'grace');
    expect(challengeOf(answer)).toEqual({
      challenge: expect.any(String),
      error: 'mfa_required',
      error_description: expect.any(String),
      challenge_expires_in: 300,
      methods: ['totp', 'recovery_code'],
    });
  });

  claim('has no WWW-Authenticate, with which stock clients hide the body', async (app) => {
    const { headers } = await logIn(app, 'grace');
    expect(headers['www-authenticate']).toBeUndefined();
    expect(headers['cache-control']).toBe('no-store');
  });

  claim('comes only after the password was right', async (app) => {
    const wrong = { password: 'wrong' };
    const ofGrace = await logIn(app, 'grace', wrong);
    expect(errorOf(ofGrace).error).toBe('invalid_grant');
    expect(ofGrace.body).toBe((await logIn(app, 'ada', wrong)).body);
  });

  claim('comes only where the account and the scopes are the user’s', async (app) => {
    const foreign = await logIn(app, 'grace', { account_id: 1 });
    expect(errorOf(foreign, 403).error).toBe('access_denied');
    const unentitled = await logIn(app, 'grace', { scopes: 'internal' });
    expect(errorOf(unentitled).error).toBe('invalid_scope');
    expect(app.events.map(({ type }) => type)).not.toContain('challenge.created');
  });
});

inEveryCell('POST /token: version', (claim) => {
  for (const query of ['?version=v3', '?version=', '?version=V1', '?version=v1&version=v1']) {
    claim(`refuses ${query}`, async (app) => {
      expect(errorOf(await logIn(app, 'ada', {}, query)).error).toBe('invalid_request');
    });
  }

  claim('changes nothing about errors', async (app) => {
    for (const fields of [{ password: 'wrong' }, { password: 1 }, { scopes: 'nobody' }]) {
      const v1 = await logIn(app, 'ada', fields, '?version=v1');
      const v2 = await logIn(app, 'ada', fields, '?version=v2');
      expect(v1.body).toBe(v2.body);
    }
  });

  claim('is looked for among other parameters, which are ignored', async (app) => {
    const answer = await logIn(app, 'ada', {}, '?utm=1&version=v1&utm=2');
    expect(fieldsOf(answer)).toEqual(V1_FIELDS);
  });
});

inEveryCell('POST /token: the fields of the password grant', (claim) => {
  claim('takes password for the grant where none is named', async (app) => {
    expect((await logIn(app, 'ada')).status).toBe(200);
    expect((await logIn(app, 'ada', { grant_type: 'password' })).status).toBe(200);
  });

  for (const grant of ['client_credentials', 'Password', '']) {
    claim(`does not know the grant ${JSON.stringify(grant)}`, async (app) => {
      const answer = await logIn(app, 'ada', { grant_type: grant });
      expect(errorOf(answer).error).toBe('unsupported_grant_type');
    });
  }

  for (const [field, values] of Object.entries({
    grant_type: [1, null, ['password'], {}],
    username: [1, null, true, ['ada@example.com'], { $ne: null }],
    password: [1, null, true, [TEST_PASSWORD], { $ne: null }, ''],
    account_id: ['1', null, true, 1.5, [1], {}, 2 ** 53],
    scopes: [1, null, true, ['user'], {}],
    scope: [1, null, ['user']],
    expiration_seconds: ['600', null, true, 600.5, [600], 2 ** 53, 599, 0, -600],
  })) {
    claim(`refuses a ${field} of the wrong type or out of bounds, and names it`, async (app) => {
      for (const value of values) {
        const answer = await logIn(app, 'ada', { [field]: value });
        const error = errorOf(answer);
        expect(error.error, JSON.stringify(value)).toBe('invalid_request');
        expect(error.errors?.map((each) => each.field)).toEqual([field]);
      }
    });
  }

  for (const field of ['username', 'password']) {
    claim(`needs a ${field}`, async (app) => {
      const answer = await logIn(app, 'ada', { [field]: undefined });
      expect(errorOf(answer)).toMatchObject({
        error: 'invalid_request',
        errors: [{ field, message: 'is required' }],
      });
    });
  }

  claim('needs a username that is an e-mail address', async (app) => {
    for (const username of [
      'ada',
      'a@',
      '@b.com',
      'a@b@c.com',
      'a b@c.com',
      '',
      `${'a'.repeat(249)}@b.com`,
    ]) {
      expect(errorOf(await logIn(app, '', { username })).errors?.[0]?.field).toBe('username');
    }
  });

  claim('ignores fields that it does not know', async (app) => {
    const answer = await logIn(app, 'ada', { client_id: 1, remember: [true], version: 'v1' });
    expect(fieldsOf(answer)).toEqual(V2_FIELDS);
  });

  claim('ignores the refresh token beside a password, since the grant decides', async (app) => {
    expect((await logIn(app, 'ada', { refresh_token: 1 })).status).toBe(200);
  });

  claim('lets HTTP Basic stand, and ignores it', async (app) => {
    const body = JSON.stringify({ username: 'ada@example.com', password: TEST_PASSWORD });
    const authorization = ['authorization', `Basic ${btoa('client:secret')}`];
    const headers = [...JSON_TYPE, ...authorization];
    expect((await app.send({ method: 'POST', path: '/token', headers, body })).status).toBe(200);
  });
});

inEveryCell('POST /token: account_id', (claim) => {
  claim('binds the token to the account, in a claim', async (app) => {
    const { access_token, accounts } = await session(app, 'ada', { account_id: 2 });
    expect(decodeJwt(access_token)['account_id']).toBe(2);
    expect(accounts).toEqual([1, 2]);
    expect((await get(app, '/accounts/2', access_token)).status).toBe(200);
    expect(errorOf(await get(app, '/accounts/1', access_token), 403).error).toBe('access_denied');
  });

  claim('binds to nothing where it is absent', async (app) => {
    const { access_token } = await session(app);
    expect(decodeJwt(access_token)).not.toHaveProperty('account_id');
    expect((await get(app, '/accounts/1', access_token)).status).toBe(200);
  });

  claim('answers somebody else’s account as one that does not exist', async (app) => {
    const foreign = await logIn(app, 'ada', { account_id: 3 });
    const absent = await logIn(app, 'ada', { account_id: -999 });
    expect(errorOf(foreign, 403).error).toBe('access_denied');
    expect(absent.body).toBe(foreign.body);
  });

  claim('is looked at only after the password was right', async (app) => {
    const answer = await logIn(app, 'ada', { account_id: 3, password: 'wrong' });
    expect(errorOf(answer).error).toBe('invalid_grant');
  });
});

inEveryCell('POST /token: scopes', (claim) => {
  claim('are user where none is named', async (app) => {
    expect((await session(app)).scope).toBe('user');
  });

  for (const [scopes, granted] of [
    ['user,admin,internal,auth', 'user admin internal auth'],
    ['admin', 'admin'],
    ['user , admin', 'user admin'],
    ['user,user', 'user'],
    ['auth,user', 'user auth'],
  ] as const) {
    claim(`grants ${granted} for ${JSON.stringify(scopes)}`, async (app) => {
      const tokens = await session(app, 'ada', { scopes });
      expect(tokens.scope).toBe(granted);
      expect(decodeJwt(tokens.access_token)['scope']).toBe(granted);
    });
  }

  for (const scopes of ['user,,admin', ',', '', 'user,', 'user admin', 'USER', ' user', 'root']) {
    claim(`does not know ${JSON.stringify(scopes)}`, async (app) => {
      expect(errorOf(await logIn(app, 'ada', { scopes })).error).toBe('invalid_scope');
    });
  }

  claim('may be named in RFC 6749’s scope, space separated', async (app) => {
    expect((await session(app, 'ada', { scope: 'user admin' })).scope).toBe('user admin');
    expect(errorOf(await logIn(app, 'ada', { scope: 'user,admin' })).error).toBe('invalid_scope');
  });

  claim('may not be named in both', async (app) => {
    const answer = await logIn(app, 'ada', { scope: 'user', scopes: 'user' });
    expect(errorOf(answer).error).toBe('invalid_request');
  });

  claim('must be the user’s, by the host’s directory', async (app) => {
    expect(errorOf(await logIn(app, 'alan', { scopes: 'admin' })).error).toBe('invalid_scope');
    app.users.change('alan', { scopes: ['user', 'admin'] });
    expect((await session(app, 'alan', { scopes: 'admin' })).scope).toBe('admin');
  });

  claim('are compared with the user’s only after the password was right', async (app) => {
    const answer = await logIn(app, 'alan', { scopes: 'admin', password: 'wrong' });
    expect(errorOf(answer).error).toBe('invalid_grant');
  });
});

inEveryCell('POST /token: expiration_seconds', (claim) => {
  claim('is obeyed from 600 on', async (app) => {
    for (const seconds of [600, 601, 7200, 86_400]) {
      const tokens = await session(app, 'ada', { expiration_seconds: seconds });
      const { exp = 0, iat = 0 } = decodeJwt(tokens.access_token);
      expect([tokens.expires_in, exp - iat]).toEqual([seconds, seconds]);
    }
  });

  claim('is clamped to the maximum, and expires_in tells the truth', async (app) => {
    for (const seconds of [86_401, Number.MAX_SAFE_INTEGER]) {
      const tokens = await session(app, 'ada', { expiration_seconds: seconds });
      expect(tokens.expires_in).toBe(86_400);
    }
  });

  claim(
    'is clamped to a maximum of the host’s',
    async (app) => {
      const tokens = await session(app, 'ada', { expiration_seconds: 3600 });
      expect(tokens.expires_in).toBe(1200);
    },
    { auth: { lifetimes: { maxAccessTokenSeconds: 1200 } } },
  );

  claim('is 600 at most where the scope is auth', async (app) => {
    const fields = { scopes: 'user,auth', expiration_seconds: 7200 };
    expect((await session(app, 'ada', fields)).expires_in).toBe(600);
  });
});

inEveryCell('POST /token: who may log in', (claim) => {
  claim('refuses unknown, wrong and disabled alike, to the byte', async (app) => {
    const answers = [
      await logIn(app, 'nobody'),
      await logIn(app, 'ada', { password: 'wrong' }),
      await logIn(app, 'kurt'),
      await logIn(app, 'kurt', { password: 'wrong' }),
      await logIn(app, '', { username: 'ada@elsewhere.example' }),
    ];
    expect(errorOf(answers[0] as Answer).error).toBe('invalid_grant');
    for (const { status, body, headers } of answers) {
      expect({ status, body, headers: { ...headers, date: '' } }).toEqual({
        status: 400,
        body: answers[0]?.body,
        headers: { ...answers[0]?.headers, date: '' },
      });
    }
  });
});

inEveryCell('POST /token as a form', (claim) => {
  const login = { username: 'ada@example.com', password: TEST_PASSWORD };

  claim('logs in, so that stock clients work', async (app) => {
    const answer = await postForm(app, '/token', {
      ...login,
      grant_type: 'password',
      scope: 'user admin',
      client_id: 'web',
    });
    expect(tokensOf(answer).scope).toBe('user admin');
  });

  claim('reads integers and comma separated scopes', async (app) => {
    const answer = await postForm(app, '/token', {
      ...login,
      account_id: '2',
      expiration_seconds: '900',
      scopes: 'user,admin',
    });
    const tokens = tokensOf(answer);
    expect([tokens.expires_in, tokens.scope]).toEqual([900, 'user admin']);
    expect(decodeJwt(tokens.access_token)['account_id']).toBe(2);
  });

  claim('refuses integers that are none', async (app) => {
    for (const expiration_seconds of ['600.5', '6e2', '599', 'x', ' 600', '0x258']) {
      const answer = await postForm(app, '/token', { ...login, expiration_seconds });
      expect(errorOf(answer).error, expiration_seconds).toBe('invalid_request');
    }
  });

  claim('refuses both scope and scopes', async (app) => {
    const answer = await postForm(app, '/token', { ...login, scope: 'user', scopes: 'user' });
    expect(errorOf(answer).error).toBe('invalid_request');
  });

  claim('refuses a repeated parameter', async (app) => {
    const body = `${new URLSearchParams(login)}&password=other`;
    const headers = ['content-type', 'application/x-www-form-urlencoded'];
    const answer = await app.send({ method: 'POST', path: '/token', headers, body });
    expect(errorOf(answer).error).toBe('invalid_request');
  });

  claim('is answered as in JSON', async (app) => {
    const form = await postForm(app, '/token', { ...login, password: 'wrong' });
    const json = await postJson(app, '/token', { ...login, password: 'wrong' });
    expect(form.body).toBe(json.body);
  });
});
