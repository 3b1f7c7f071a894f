import { expect } from 'vitest';
import { ISSUER, type TestApp } from '../support/apps/test-app.ts';
import { findMismatch, resolveRef } from '../support/clients/json-schema.ts';
import { makePat, managerOf, NEW_PAT, PATS } from '../support/clients/pat-calls.ts';
import {
  type ActualResponse,
  expectDescribed,
  JWKS,
  METADATA,
  OPENAPI,
  openapiOf,
} from '../support/clients/public-documents.ts';
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
} from '../support/clients/token-calls.ts';
import { callsWith } from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

function refsOf(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === '$ref' ? [String(value)] : refsOf(value),
  );
}

inEveryCell('GET /openapi.json', (test) => {
  test('is OpenAPI 3.1 whose references all resolve', async (app) => {
    const document = await openapiOf(app);
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    const refs = refsOf(document);
    expect(refs).not.toEqual([]);
    for (const ref of refs) expect(resolveRef(document, ref)).toBeTypeOf('object');
  });

  test('describes every path, each operation with its own operationId', async (app) => {
    const { paths, webhooks } = await openapiOf(app);
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
    const ids = Object.values({ ...paths, ...webhooks }).flatMap((each) =>
      Object.values(each).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(paths['/token']?.['put']?.deprecated).toBe(true);
  });

  test('describes only operations that exist', async (app) => {
    const { paths } = await openapiOf(app);
    for (const [path, operations] of Object.entries(paths)) {
      for (const method of Object.keys(operations)) {
        const { status } = await app.send({ method: method.toUpperCase(), path });
        expect([200, 400, 401], `${method} ${path}`).toContain(status);
      }
    }
  });

  test(
    'has the mount path in servers',
    async (app) => {
      const { servers } = await openapiOf(app);
      expect(servers).toEqual([{ url: `${ISSUER}/api/auth` }]);
    },
    { mountPath: '/api/auth' },
  );

  test('describes the actual responses', async (app) => {
    const document = await openapiOf(app);
    for (const response of await actualResponses(app)) expectDescribed(document, response);
  });

  test(
    'describes the Sunset header of a deprecated operation',
    async (app) => {
      const document = await openapiOf(app);
      const response = await putJson(app, '/token', {});
      expectDescribed(document, ['PUT', '/token', response]);
      expect(document.paths['/token']?.['put']?.responses['200']?.headers).toHaveProperty('Sunset');
    },
    {
      auth: {
        putTokenDeprecation: { since: new Date('2026-01-01'), sunset: new Date('2027-01-01') },
      },
    },
  );

  test('has schemas that accept right request bodies and reject wrong ones', async (app) => {
    const document = await openapiOf(app);
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

async function actualResponses(app: TestApp): Promise<readonly ActualResponse[]> {
  const { refresh_token } = await session(app);
  const challenge = await pendingChallenge(app);
  return [
    ['POST', '/token', await logIn(app, 'ada')],
    ['POST', '/token', await logIn(app, 'ada', {}, '?version=v1')],
    ['POST', '/token', await logIn(app, 'grace')],
    ['POST', '/token', await logIn(app, 'grace', {}, '?version=v1')],
    ['POST', '/token', await logIn(app, 'ada', { password: 'wrong' })],
    ['POST', '/token', await logIn(app, 'ada', { scopes: 1 })],
    ['POST', '/token', await logIn(app, 'ada', { account_id: 9 })],
    ['POST', '/token', await postJson(app, '/token', 'x'.repeat(20_000))],
    ['POST', '/token', await app.send({ method: 'POST', path: '/token', body: 'x' })],
    ['POST', '/token', await refresh(app, refresh_token)],
    ['PUT', '/token', await putJson(app, '/token', { refresh_token })],
    ['PUT', '/token', await putJson(app, '/token', { refresh_token: 'x' })],
    ['POST', '/token/challenge', await answerChallenge(app, challenge, { code: wrongCode(app) })],
    ['POST', '/token/challenge', await answerChallenge(app, challenge, { code: 'x' })],
    ['POST', '/token/challenge', await answerChallenge(app, challenge, { code: totp(app) })],
    ['POST', '/token/revoke', await revoke(app, refresh_token)],
    ['POST', '/token/revoke', await postJson(app, '/token/revoke', {})],
    ...(await guardedAnswers(app)),
    ['GET', JWKS, await get(app, JWKS)],
    ['GET', METADATA, await get(app, METADATA)],
    ['GET', OPENAPI, await get(app, OPENAPI)],
  ];
}

/** Responses of routes that need a token. */
async function guardedAnswers(app: TestApp): Promise<readonly ActualResponse[]> {
  const manager = await managerOf(app);
  const { id, token } = await makePat(manager, { scopes: ['user', 'internal'], account_id: 1 });
  const { access_token, refresh_token } = await session(app);
  const service = callsWith(app, token);
  const ask = (token: string) => service.send('POST', '/token/introspect', { token });
  return [
    ['POST', PATS, await manager.send('POST', PATS, NEW_PAT)],
    ['POST', PATS, await manager.send('POST', PATS, { ...NEW_PAT, scopes: [] })],
    ['POST', PATS, await manager.send('POST', PATS, { ...NEW_PAT, account_id: 9 })],
    ['POST', PATS, await service.send('POST', PATS, NEW_PAT)],
    ['POST', PATS, await app.send({ method: 'POST', path: PATS })],
    ['GET', PATS, await manager.send('GET', PATS)],
    ['GET', PATS, await manager.send('GET', `${PATS}?limit=0`)],
    ['DELETE', `${PATS}/{id}`, await manager.send('DELETE', `${PATS}/pat_x`)],
    ['POST', '/token/introspect', await ask(token)],
    ['POST', '/token/introspect', await ask(access_token)],
    ['POST', '/token/introspect', await ask(refresh_token)],
    ['POST', '/token/introspect', await ask('x')],
    ['POST', '/token/introspect', await service.send('POST', '/token/introspect', {})],
    ['POST', '/token/introspect', await manager.send('POST', '/token/introspect', { token })],
    ['GET', PATS, await callsWith(app, id).send('GET', PATS)],
  ];
}
