import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  type AccessTokenSecurityEvent,
  type Auth,
  type AuthOptions,
  createAuth,
  memoryStorage,
  toFetchHandler,
} from '@latchhook/core';
import { instrument } from '@latchhook/opentelemetry';
import { expect, it } from 'vitest';
import { startTelemetryRecorder } from '../opentelemetry/telemetry-recorder.ts';
import { TEST_PASSWORD, testUsers } from '../support/clients/users.ts';

const ISSUER = 'https://api.example.com';
const users = await testUsers();
const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const refreshSecrets = [randomBytes(32)];

/** Two processes of an app on one storage. The second has these changes of the options, or another time. */
function twoProcesses(changes: Partial<AuthOptions> = {}) {
  let nowMs = Date.now();
  const clock = { nowMs: () => nowMs };
  const options: AuthOptions = {
    issuer: ISSUER,
    users,
    keys: { signing, refreshSecrets },
    storage: memoryStorage({ clock }),
    clock,
    throttle: false,
  };
  const events: AccessTokenSecurityEvent[] = [];
  const recorder = startTelemetryRecorder();
  const checking = createAuth({ ...options, ...changes });
  checking.securityEvents.subscribe((event) => {
    if (event.type === 'access_token.rejected') events.push(event);
  });
  return {
    issuing: createAuth(options),
    checking: instrument(checking, recorder.providers),
    turnBy: (ms: number) => {
      nowMs += ms;
    },
    /** The reason and the count of each event. */
    heard: () => events.map(({ reason, count }) => [reason, count]),
    counted: async () =>
      (await recorder.points('latchhook.tokens.rejected')).map(({ attributes, count }) => [
        Object(attributes)['error.type'],
        count,
      ]),
  };
}

async function post(auth: Auth, path: string, fields: object, token?: string): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const body = JSON.stringify(fields);
  const request = new Request(`${ISSUER}${path}`, { method: 'POST', headers, body });
  const response = await toFetchHandler(auth)(request, { remoteAddress: '192.0.2.1' });
  if (response === undefined) throw new Error(`${path} is not ours`);
  return response;
}

async function tokenFor(auth: Auth, scopes = 'user'): Promise<string> {
  const login = { username: 'ada@example.com', password: TEST_PASSWORD, scopes };
  const { access_token } = (await (await post(auth, '/token', login)).json()) as {
    access_token: string;
  };
  return access_token;
}

async function check(auth: Auth, token: string, checkSession = false): Promise<number> {
  const checked = await auth.bearer.check(`Bearer ${token}`, { checkSession });
  return checked.outcome === 'passed' ? 200 : checked.response.status;
}

const ANOTHER_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const MINUTE_MS = 60_000;

it.each<[string, Partial<AuthOptions>]>([
  ['wrong_issuer', { issuer: `${ISSUER}/auth`, audience: ISSUER }],
  ['wrong_audience', { audience: 'another' }],
  ['unknown_key', { keys: { signing: ANOTHER_KEY, refreshSecrets } }],
])(
  'an access_token.rejected event has the reason %s after a change of the configuration',
  async (reason, changes) => {
    const { issuing, checking, heard, counted } = twoProcesses(changes);
    const token = await tokenFor(issuing);
    expect(await check(issuing, token)).toBe(200);
    for (let time = 0; time < 3; time += 1) expect(await check(checking, token)).toBe(401);
    expect(heard()).toEqual([[reason, 1]]);
    expect(await counted()).toEqual([[reason, 3]]);
  },
);

it('an access_token.rejected event counts the rejections of the last minute', async () => {
  const { issuing, checking, turnBy, heard } = twoProcesses({ audience: 'another' });
  const token = await tokenFor(issuing);
  for (let time = 0; time < 5; time += 1) await check(checking, token);
  turnBy(MINUTE_MS);
  await check(checking, token);
  // The first rejection at once, and the four others of its minute with the next one.
  expect(heard()).toEqual([
    ['wrong_audience', 1],
    ['wrong_audience', 5],
  ]);
});

it('an access_token.rejected event reports a cached token once it or its session has ended', async () => {
  const { checking, turnBy, heard } = twoProcesses();
  const token = await tokenFor(checking);
  expect(await check(checking, token, true)).toBe(200);
  await checking.sessions.revokeAll('ada');
  expect(await check(checking, token)).toBe(200);
  expect(await check(checking, token, true)).toBe(401);
  turnBy(60 * MINUTE_MS);
  expect(await check(checking, token)).toBe(401);
  expect(heard()).toEqual([
    ['session_ended', 1],
    ['expired', 1],
  ]);
});

it('an access_token.rejected event reports a bad token at introspection', async () => {
  const { issuing, checking, heard } = twoProcesses({ audience: 'another' });
  const service = await tokenFor(checking, 'internal');
  const token = await tokenFor(issuing);
  const response = await post(checking, '/token/introspect', { token }, service);
  expect(await response.json()).toEqual({ active: false });
  expect(heard()).toEqual([['wrong_audience', 1]]);
});

it('a token from the future is rejected and reported, but accepted within clockToleranceSeconds', async () => {
  const clockBehind = (seconds: number) => ({ nowMs: () => Date.now() - seconds * 1000 });
  const strict = twoProcesses({ clock: clockBehind(40) });
  expect(await check(strict.checking, await tokenFor(strict.issuing))).toBe(401);
  expect(strict.heard()).toEqual([['not_yet_valid', 1]]);
  const tolerant = twoProcesses({ clock: clockBehind(40), clockToleranceSeconds: 60 });
  expect(await check(tolerant.checking, await tokenFor(tolerant.issuing))).toBe(200);
  expect(tolerant.heard()).toEqual([]);
});

it('a token is accepted after its expiry within clockToleranceSeconds', async () => {
  const { checking, turnBy, heard } = twoProcesses({ clockToleranceSeconds: 60 });
  const token = await tokenFor(checking, 'internal');
  turnBy(60 * MINUTE_MS + 50_000);
  for (let time = 0; time < 2; time += 1) expect(await check(checking, token)).toBe(200);
  const response = await post(checking, '/token/introspect', { token }, token);
  expect(await response.json()).toMatchObject({ active: true });
  expect(heard()).toEqual([]);
  turnBy(10_000);
  expect(await check(checking, token)).toBe(401);
  expect(heard()).toEqual([['expired', 1]]);
});

it('no access_token.rejected event reports a token that anybody could have made', async () => {
  const { issuing, checking, heard, counted } = twoProcesses();
  const [header = '', payload = '', signature = ''] = (await tokenFor(issuing)).split('.');
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const foreign = encoded({ iss: 'https://elsewhere.example.com', sub: 'ada' });
  const foreignHeader = encoded({ alg: 'ES256', kid: 'theirs', typ: 'at+jwt' });
  const hmac = createHmac('sha256', 'secret').update(`${header}.${payload}`).digest('base64url');
  for (const token of [
    'x',
    'a.b.c',
    `${header}.${payload}.${signature.split('').reverse().join('')}`,
    `${header}.${foreign}.${signature}`,
    `${foreignHeader}.${foreign}.${signature}`,
    `${encoded({ alg: 'none', typ: 'at+jwt' })}.${payload}.${signature}`,
    `${encoded({ alg: 'HS256', kid: 'x', typ: 'JWT' })}.${payload}.${hmac}`,
    'x'.repeat(9000),
    'lh_pat_0123456789',
  ]) {
    expect(await check(checking, token)).toBe(401);
  }
  expect(heard()).toEqual([]);
  expect(await counted()).toEqual([]);
});
