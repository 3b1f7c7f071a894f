import { expect } from 'vitest';
import type { RequestToSend } from '../hosts/send-request.ts';
import { expectErrorBody } from '../support/clients/expect-error.ts';
import {
  answerChallenge,
  errorOf,
  FORM_TYPE,
  get,
  JSON_TYPE,
  logIn,
  pendingChallenge,
  postJson,
  putJson,
  revoke,
  session,
  totp,
  wrongCode,
} from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const BODY_PATHS = [
  ['POST', '/token'],
  ['PUT', '/token'],
  ['POST', '/token/challenge'],
  ['POST', '/token/revoke'],
] as const;

const LOGIN = JSON.stringify({ username: 'ada@example.com', password: TEST_PASSWORD });

/** Bodies that no route accepts, each with the status of the response. */
const REJECTED: readonly (readonly [status: number, request: Partial<RequestToSend>])[] = [
  ...['{', '{"a":1,}', 'x', 'null', '[]', '"x"', '1', '\ufeff{}x', '{}{}'].map(
    (body) => [400, { body }] as const,
  ),
  [400, { body: Buffer.from([...Buffer.from('{"a":"'), 0xff, 0xfe, ...Buffer.from('"}')]) }],
  // One byte more than 16,384.
  [413, { body: `{"x":"${'a'.repeat(16_377)}"}` }],
  [413, { body: `{"x":"${'a'.repeat(16_377)}"}`, chunked: true }],
  [415, { headers: [] }],
  [415, { headers: ['content-type', 'text/plain'] }],
  [415, { headers: ['content-type', 'multipart/form-data; boundary=x'] }],
  [415, { headers: [...JSON_TYPE, 'content-encoding', 'gzip'] }],
  [415, { headers: [...JSON_TYPE, 'content-encoding', 'identity'] }],
];

inEveryCell('the request body', (test) => {
  for (const [method, path] of BODY_PATHS) {
    test(`is rejected by ${method} ${path} if it is not a JSON object in UTF-8, has over 16,384 bytes, is encoded or has another media type`, async (app) => {
      for (const [status, request] of REJECTED) {
        const response = await app.send({
          method,
          path,
          headers: JSON_TYPE,
          body: LOGIN,
          ...request,
        });
        expect(errorOf(response, status).error).toBe('invalid_request');
        expectErrorBody(response);
      }
      const largest = `{"x":"${'a'.repeat(16_376)}"}`;
      const response = await app.send({ method, path, headers: JSON_TYPE, body: largest });
      expect(response.status).toBe(400);
    });
  }
});

inEveryCell('the request method', (test) => {
  test('gets 405 and Allow if the path does not support it', async (app) => {
    for (const [path, allow] of Object.entries({
      '/token': 'POST, PUT',
      '/token/challenge': 'POST',
      '/token/revoke': 'POST',
      '/.well-known/jwks.json': 'GET, HEAD',
      '/.well-known/oauth-authorization-server': 'GET, HEAD',
      '/openapi.json': 'GET, HEAD',
    })) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        if (allow.includes(method)) continue;
        const response = await app.send({ method, path });
        expect(errorOf(response, 405).error, path).toBe('invalid_request');
        expect(response.headers['allow'], path).toBe(allow);
        expectErrorBody(response);
      }
    }
  });

  test('cannot be overridden by a header', async (app) => {
    const headers = [...JSON_TYPE, 'x-http-method-override', 'DELETE'];
    const response = await app.send({ method: 'POST', path: '/token', headers, body: LOGIN });
    expect(response.status).toBe(200);
    const get = await app.send({
      method: 'GET',
      path: '/token',
      headers: ['x-http-method', 'POST'],
    });
    expect(get.status).toBe(405);
  });
});

inEveryCell('every response under /token', (test) => {
  test('has Cache-Control: no-store', async (app) => {
    const { refresh_token } = await session(app);
    const challenge = await pendingChallenge(app);
    const responses = [
      await logIn(app, 'ada'),
      await logIn(app, 'grace'),
      await logIn(app, 'ada', { password: 'wrong' }),
      await logIn(app, 'ada', { account_id: 9 }),
      await get(app, '/token'),
      await get(app, '/token/revoke'),
      await putJson(app, '/token', { refresh_token }),
      await postJson(app, '/token', '{'),
      await answerChallenge(app, challenge, { code: wrongCode(app) }),
      await answerChallenge(app, challenge, { code: totp(app) }),
      await revoke(app, refresh_token),
      await revoke(app, ''),
    ];
    for (const { headers } of responses) {
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['pragma']).toBe('no-cache');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers['set-cookie']).toBeUndefined();
    }
  });
});

inEveryCell('the content of a request', (test) => {
  const canary = 'c4n4ry-c4n4ry';
  const fields = [
    'grant_type',
    'username',
    'password',
    'account_id',
    'scopes',
    'scope',
    'expiration_seconds',
    'refresh_token',
    'challenge',
    'code',
    'token',
    canary,
  ];
  const named = (value: unknown) => Object.fromEntries(fields.map((name) => [name, value]));
  const bodies: readonly string[] = [
    JSON.stringify(named(canary)),
    JSON.stringify(named([canary])),
    JSON.stringify(named({ [canary]: canary })),
    `{"${canary}":`,
    `"${canary}"`,
    LOGIN.replace('"password"', `"scopes":"${canary}","password"`),
    LOGIN.replace(TEST_PASSWORD, canary),
    ...fields.map((name) => JSON.stringify({ ...JSON.parse(LOGIN), [name]: canary })),
    ...fields.map((name) =>
      JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'x', [name]: canary }),
    ),
  ];

  test('is never echoed in an error', async (app) => {
    const requests = BODY_PATHS.flatMap(([method, path]) =>
      bodies.flatMap((body): RequestToSend[] => [
        { method, path, headers: JSON_TYPE, body },
        { method, path, headers: FORM_TYPE, body: `${canary}=${canary}&scopes=${canary}` },
        { method, path: `${path}?version=${canary}&${canary}=${canary}`, headers: JSON_TYPE, body },
      ]),
    );
    for (const request of requests) {
      const { status, body, headers } = await app.send(request);
      expect(status).toBeLessThan(500);
      expect(body).not.toContain(canary);
      expect(JSON.stringify(headers)).not.toContain(canary);
    }
  });

  test('cannot add a header to the response', async (app) => {
    for (const path of ['/token?version=v1%0d%0aset-cookie:x', '/token?version=%00%0a']) {
      const response = await postJson(app, path, LOGIN);
      expect(errorOf(response).error).toBe('invalid_request');
      expect(response.headers['set-cookie']).toBeUndefined();
    }
  });
});
