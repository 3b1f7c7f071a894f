import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../hosts/send-request.ts';
import { inEveryCell } from '../support/in-every-cell.ts';
import { findMismatch, type JsonSchema, resolveRef } from '../support/json-schema.ts';
import { makePat, managerOf, NEW_PAT, PATS } from '../support/pat-calls.ts';
import { ISSUER, signingKey, startTestApp, type TestApp } from '../support/test-app.ts';
import {
  answerChallenge,
  get,
  logIn,
  pendingChallenge,
  postJson,
  putJson,
  refresh,
  revoke,
  session,
  totp,
  wrongCode,
} from '../support/token-calls.ts';
import { callsWith } from '../support/webhook-calls.ts';

const JWKS = '/.well-known/jwks.json';
const METADATA = '/.well-known/oauth-authorization-server';
const OPENAPI = '/openapi.json';

async function getJson(app: TestApp, path: string) {
  const answer = await get(app, path);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  return JSON.parse(answer.body);
}

function newKey(kind: 'P-256' | 'ed25519' | 'rsa'): string {
  const { privateKey } =
    kind === 'P-256'
      ? generateKeyPairSync('ec', { namedCurve: kind })
      : kind === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const rsaKey = newKey('rsa');
const edKey = newKey('ed25519');
const nextKey = newKey('P-256');

inEveryCell('GET /.well-known/jwks.json', (claim) => {
  claim('publishes what verifies access tokens, named by its thumbprint', async (app) => {
    const { keys } = await getJson(app, JWKS);
    expect(keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: await calculateJwkThumbprint(keys[0]),
        alg: 'ES256',
        use: 'sig',
      },
    ]);
    const { access_token } = await session(app);
    await jwtVerify(access_token, createLocalJWKSet({ keys }), {
      issuer: ISSUER,
      audience: ISSUER,
      typ: 'at+jwt',
      currentDate: new Date(app.clock.nowMs()),
    });
  });

  for (const [alg, key] of [
    ['EdDSA', edKey],
    ['RS256', rsaKey],
  ] as const) {
    claim(
      `publishes a key of ${alg} where that is configured`,
      async (app) => {
        const { access_token } = await session(app);
        expect(decodeProtectedHeader(access_token).alg).toBe(alg);
        const { keys } = await getJson(app, JWKS);
        expect(keys).toMatchObject([{ alg, kid: await calculateJwkThumbprint(keys[0]) }]);
        for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) {
          expect(keys[0]).not.toHaveProperty(secret);
        }
        await jwtVerify(access_token, createLocalJWKSet({ keys }), {
          currentDate: new Date(app.clock.nowMs()),
        });
      },
      { auth: { keys: { signing: key, refreshSecrets: ['0123456789abcdef0123456789abcdef'] } } },
    );
  }

  claim(
    'may be cached for a while, shorter than a key is published before it signs',
    async (app) => {
      const { headers } = await get(app, JWKS);
      expect(headers['cache-control']).toBe('public, max-age=300');
    },
  );

  claim('answers HEAD without a body', async (app) => {
    const answer = await app.send({ method: 'HEAD', path: JWKS });
    expect([answer.status, answer.body]).toEqual([200, '']);
  });
});

describe('rotation of signing keys', () => {
  it('publishes first, then signs, then retires, and no token is refused meanwhile', async () => {
    const startMs = Date.now();
    const at = (hours: number) => new Date(startMs + hours * 3600_000);
    const app = await startTestApp(
      { framework: 'express', storage: 'memory' },
      {
        auth: {
          keys: {
            signing: [
              { key: signingKey, retiresAt: at(4) },
              { key: nextKey, signsFrom: at(1) },
            ],
            refreshSecrets: ['0123456789abcdef0123456789abcdef'],
          },
        },
      },
    );
    onTestFinished(() => app.stop());
    const published = (await getJson(app, JWKS)).keys.map(({ kid }: { kid: string }) => kid);
    expect(published).toHaveLength(2);
    const old = (await session(app)).access_token;
    expect(decodeProtectedHeader(old).kid).toBe(published[0]);
    app.clock.advance(3_595_000);
    const last = (await session(app, 'ada', { expiration_seconds: 86_400 })).access_token;
    app.clock.advance(10_000);
    const fresh = (await session(app)).access_token;
    expect(decodeProtectedHeader(fresh).kid).toBe(published[1]);
    for (const token of [last, fresh]) expect((await get(app, '/me', token)).status).toBe(200);
    app.clock.advance(3 * 3600_000);
    expect((await get(app, '/me', last)).status).toBe(401);
    expect((await getJson(app, JWKS)).keys).toHaveLength(1);
  });
});

inEveryCell('GET /.well-known/oauth-authorization-server', (claim) => {
  const endpoints = (base: string) => ({
    token_endpoint: `${base}/token`,
    revocation_endpoint: `${base}/token/revoke`,
    introspection_endpoint: `${base}/token/introspect`,
    jwks_uri: `${base}${JWKS}`,
  });

  claim('says where the endpoints are, and what they can', async (app) => {
    const metadata = await getJson(app, METADATA);
    expect(metadata).toMatchObject({
      issuer: ISSUER,
      ...endpoints(ISSUER),
      grant_types_supported: ['password', 'refresh_token'],
      scopes_supported: ['user', 'admin', 'internal', 'auth'],
      response_types_supported: [],
    });
    expect(metadata).not.toHaveProperty('authorization_endpoint');
  });

  claim(
    'names them below the mount',
    async (app) => {
      expect(await getJson(app, METADATA)).toMatchObject(endpoints(`${ISSUER}/api/auth`));
    },
    { mountPath: '/api/auth' },
  );

  claim(
    'names them where the host says that they are',
    async (app) => {
      const base = 'https://edge.example.com/v1';
      expect(await getJson(app, METADATA)).toMatchObject({ issuer: ISSUER, ...endpoints(base) });
    },
    { mountPath: '/api/auth', auth: { baseUrl: 'https://edge.example.com/v1/' } },
  );
});

/** The part of the document that is looked at. */
interface OpenapiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly responses: Readonly<Record<string, Described>>;
  readonly requestBody?: Described;
}

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

function refsOf(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === '$ref' ? [String(value)] : refsOf(value),
  );
}

inEveryCell('GET /openapi.json', (claim) => {
  claim('is OpenAPI 3.1 whose references all resolve', async (app) => {
    const document: OpenapiDocument = await getJson(app, OPENAPI);
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    const refs = refsOf(document);
    expect(refs).not.toEqual([]);
    for (const ref of refs) expect(resolveRef(document, ref)).toBeTypeOf('object');
  });

  claim('describes every path of ours, each operation by a name of its own', async (app) => {
    const { paths }: OpenapiDocument = await getJson(app, OPENAPI);
    const methods = Object.entries(paths).map(([path, each]) => [path, Object.keys(each)]);
    expect(Object.fromEntries(methods)).toMatchObject({
      '/token': ['post', 'put'],
      '/token/challenge': ['post'],
      '/token/revoke': ['post'],
      '/token/introspect': ['post'],
      '/users/self/pats': ['post', 'get'],
      '/users/self/pats/{id}': ['delete'],
      [JWKS]: ['get'],
      [METADATA]: ['get'],
      [OPENAPI]: ['get'],
    });
    const ids = Object.values(paths).flatMap((each) =>
      Object.values(each).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(paths['/token']?.['put']?.deprecated).toBe(true);
  });

  claim('describes nothing that is not answered', async (app) => {
    const { paths }: OpenapiDocument = await getJson(app, OPENAPI);
    for (const [path, operations] of Object.entries(paths)) {
      for (const method of Object.keys(operations)) {
        const { status } = await app.send({ method: method.toUpperCase(), path });
        expect([200, 400, 401], `${method} ${path}`).toContain(status);
      }
    }
  });

  claim(
    'is at its real paths under a mount',
    async (app) => {
      const { servers }: OpenapiDocument = await getJson(app, OPENAPI);
      expect(servers).toEqual([{ url: `${ISSUER}/api/auth` }]);
    },
    { mountPath: '/api/auth' },
  );

  claim('describes what is really answered', async (app) => {
    const document: OpenapiDocument = await getJson(app, OPENAPI);
    for (const [operation, answer] of await realAnswers(app)) {
      const [method = '', path = ''] = operation.split(' ');
      const described = document.paths[path]?.[method]?.responses[String(answer.status)];
      expect(described, `${operation} answers ${answer.status}`).toBeDefined();
      const schema = described?.content?.['application/json']?.schema ?? {};
      expect(findMismatch(schema, JSON.parse(answer.body), document), operation).toBeNull();
    }
  });

  claim('tells right request bodies from wrong ones', async (app) => {
    const document: OpenapiDocument = await getJson(app, OPENAPI);
    const mismatch = (path: string, body: unknown) =>
      findMismatch(
        document.paths[path]?.['post']?.requestBody?.content?.['application/json']?.schema ?? {},
        body,
        document,
      );
    const login = { username: 'ada@example.com', password: 'x' };
    const guess = { challenge: 'x', code: '123456' };
    expect(mismatch('/token', { ...login, account_id: 1, scopes: 'user' })).toBeNull();
    expect(mismatch('/token', { grant_type: 'refresh_token', refresh_token: 'x' })).toBeNull();
    expect(mismatch('/token/challenge', { ...guess, scopes: ['user'] })).toBeNull();
    expect(mismatch('/token/challenge', { ...guess, code: 123456 })).toBeNull();
    for (const wrong of [{}, { ...login, expiration_seconds: 599 }, { ...login, scopes: [] }]) {
      expect(mismatch('/token', wrong)).not.toBeNull();
    }
    expect(mismatch('/token/challenge', { ...guess, scopes: 'user' })).not.toBeNull();
  });
});

async function realAnswers(app: TestApp): Promise<readonly (readonly [string, Answer])[]> {
  const { refresh_token } = await session(app);
  const challenge = await pendingChallenge(app);
  return [
    ['post /token', await logIn(app, 'ada')],
    ['post /token', await logIn(app, 'ada', {}, '?version=v1')],
    ['post /token', await logIn(app, 'grace')],
    ['post /token', await logIn(app, 'grace', {}, '?version=v1')],
    ['post /token', await logIn(app, 'ada', { password: 'wrong' })],
    ['post /token', await logIn(app, 'ada', { scopes: 1 })],
    ['post /token', await logIn(app, 'ada', { account_id: 9 })],
    ['post /token', await postJson(app, '/token', 'x'.repeat(20_000))],
    ['post /token', await app.send({ method: 'POST', path: '/token', body: 'x' })],
    ['post /token', await refresh(app, refresh_token)],
    ['put /token', await putJson(app, '/token', { refresh_token })],
    ['put /token', await putJson(app, '/token', { refresh_token: 'x' })],
    ['post /token/challenge', await answerChallenge(app, challenge, { code: wrongCode(app) })],
    ['post /token/challenge', await answerChallenge(app, challenge, { code: 'x' })],
    ['post /token/challenge', await answerChallenge(app, challenge, { code: totp(app) })],
    ['post /token/revoke', await revoke(app, refresh_token)],
    ['post /token/revoke', await postJson(app, '/token/revoke', {})],
    ...(await guardedAnswers(app)),
    [`get ${JWKS}`, await get(app, JWKS)],
    [`get ${METADATA}`, await get(app, METADATA)],
    [`get ${OPENAPI}`, await get(app, OPENAPI)],
  ];
}

/** Answers of routes that ask whose request it is. */
async function guardedAnswers(app: TestApp): Promise<readonly (readonly [string, Answer])[]> {
  const manager = await managerOf(app);
  const { id, token } = await makePat(manager, { scopes: ['user', 'internal'], account_id: 1 });
  const { access_token, refresh_token } = await session(app);
  const service = callsWith(app, token);
  const ask = (token: string) => service.send('POST', '/token/introspect', { token });
  return [
    [`post ${PATS}`, await manager.send('POST', PATS, NEW_PAT)],
    [`post ${PATS}`, await manager.send('POST', PATS, { ...NEW_PAT, scopes: [] })],
    [`post ${PATS}`, await manager.send('POST', PATS, { ...NEW_PAT, account_id: 9 })],
    [`post ${PATS}`, await service.send('POST', PATS, NEW_PAT)],
    [`post ${PATS}`, await app.send({ method: 'POST', path: PATS })],
    [`get ${PATS}`, await manager.send('GET', PATS)],
    [`get ${PATS}`, await manager.send('GET', `${PATS}?limit=0`)],
    [`delete ${PATS}/{id}`, await manager.send('DELETE', `${PATS}/pat_x`)],
    ['post /token/introspect', await ask(token)],
    ['post /token/introspect', await ask(access_token)],
    ['post /token/introspect', await ask(refresh_token)],
    ['post /token/introspect', await ask('x')],
    ['post /token/introspect', await service.send('POST', '/token/introspect', {})],
    ['post /token/introspect', await manager.send('POST', '/token/introspect', { token })],
    [`get ${PATS}`, await callsWith(app, id).send('GET', PATS)],
  ];
}
