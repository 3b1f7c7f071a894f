import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import { expectError } from '../support/clients/expect-error.ts';
import { logIn, postJson, tokensOf } from '../support/clients/token-calls.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

// Bodies and requests that have broken servers before.

const USERNAME = '"username":"ada@example.com"';
const PASSWORD = `"password":"${TEST_PASSWORD}"`;
const DEEP = 8000;

/** Literal bodies of POST /token, with the status and the error or scope of the response. */
const BODIES: readonly (readonly [what: string, body: string, status: number, says: string])[] = [
  ['JSON with a comment', `{${USERNAME},${PASSWORD}/**/,}`, 400, 'invalid_request'],
  ['NaN', `{${USERNAME},${PASSWORD},"account_id":NaN}`, 400, 'invalid_request'],
  [
    'an array 8,000 deep in an unknown field',
    `{${USERNAME},${PASSWORD},"x":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
    200,
    'user',
  ],
  [
    'an array 8,000 deep in a known field',
    `{${USERNAME},"password":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
    400,
    'invalid_request',
  ],
  [
    'a repeated key, of which the last wins',
    `{${USERNAME},"password":"x",${PASSWORD}}`,
    200,
    'user',
  ],
  [
    'a repeated key, of which the last wins',
    `{${USERNAME},${PASSWORD},"password":"x"}`,
    400,
    'invalid_grant',
  ],
  [
    '__proto__ with scopes',
    `{${USERNAME},${PASSWORD},"__proto__":{"scopes":"admin","polluted":1}}`,
    200,
    'user',
  ],
  [
    'constructor.prototype with scopes',
    `{${USERNAME},${PASSWORD},"constructor":{"prototype":{"scopes":"admin","polluted":1}}}`,
    200,
    'user',
  ],
  ['__proto__ with all fields', `{"__proto__":{${USERNAME},${PASSWORD}}}`, 400, 'invalid_request'],
  ['a lifetime of 6e2', `{${USERNAME},${PASSWORD},"expiration_seconds":6e2}`, 200, 'user'],
  [
    'a lifetime of 1e400',
    `{${USERNAME},${PASSWORD},"expiration_seconds":1e400}`,
    400,
    'invalid_request',
  ],
  [
    'a lifetime of 2^53 + 1',
    `{${USERNAME},${PASSWORD},"expiration_seconds":9007199254740993}`,
    400,
    'invalid_request',
  ],
  [
    'an account of 2^53 + 1',
    `{${USERNAME},${PASSWORD},"account_id":9007199254740993}`,
    400,
    'invalid_request',
  ],
  ['an account of -0', `{${USERNAME},${PASSWORD},"account_id":-0}`, 403, 'access_denied'],
];

inEveryCell('POST /token with an unusual body', (test) => {
  test('is accepted or rejected for its JSON value, without prototype pollution', async (app) => {
    for (const [what, body, status, says] of BODIES) {
      const response = await postJson(app, '/token', body);
      if (status === 200) expect(tokensOf(response).scope, what).toBe(says);
      else expectError(response, status, says);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    }
  });

  test('rejects a form with brackets in the names of fields', async (app) => {
    const headers = ['content-type', 'application/x-www-form-urlencoded'];
    for (const body of [
      `username[]=ada@example.com&password=${TEST_PASSWORD}`,
      `username=ada@example.com&password[$ne]=x`,
      `__proto__[username]=ada@example.com&password=x`,
      `%ff%fe=x&username=%ff@b.com`,
      '&&&===',
    ]) {
      const response = await app.send({ method: 'POST', path: '/token', headers, body });
      expect(response.status, body).toBe(400);
    }
  });
});

/** Sends raw bytes, and reads until the server closes the connection. */
async function sendBytes({ port }: TestApp, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(bytes);
  return text(socket);
}

inEveryCell('POST /token with unusual framing', (test) => {
  const head =
    'POST /token HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n';
  test('gets a single 400 if the length of the body is contradictory or malformed', async (app) => {
    for (const framing of [
      'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'content-length: 5\r\ncontent-length: 6\r\n\r\nhello!',
      'content-length: x\r\n\r\nhello',
      'content-length: -1\r\n\r\nhello',
      'x: a\r\n b\r\ncontent-length: 0\r\n\r\n',
    ]) {
      const response = await sendBytes(app, head + framing);
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(response.match(/HTTP\/1\.1/g)).toHaveLength(1);
    }
  });

  test('survives clients that reset the connection in the middle of a body', async (app) => {
    for (let client = 0; client < 20; client += 1) {
      const socket = connect(app.port, '127.0.0.1');
      socket.write(`${head}content-length: 100\r\n\r\n{"user`, () => socket.resetAndDestroy());
    }
    expect((await logIn(app, 'ada')).status).toBe(200);
    expect(app.events.filter(({ type }) => type === 'fault')).toEqual([]);
  });
});
