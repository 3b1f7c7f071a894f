import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Auth } from '@latchhook/core';
import type express from 'express';
import type Koa from 'koa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type HttpResponse, sendRequest } from './send-request.ts';

const ORIGIN = 'https://web.example.com';

/** An app that guards all of `/api` by a handler for every method, with or without CORS middleware before it. */
type MakeListener = (auth: Auth, withCors: boolean) => Promise<RequestListener>;

/** CORS middleware sets these headers on every response; it also answers preflights. */
const CORS_HEADERS = {
  'access-control-allow-origin': ORIGIN,
  'access-control-expose-headers': 'Retry-After, WWW-Authenticate',
};
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'authorization',
};

// The packages are imported again for each test, because each module instance warns only once.
const inExpress =
  (load: () => Promise<{ default: typeof express }>): MakeListener =>
  async (auth, withCors) => {
    const { default: create } = await load();
    const { latchhook, requireAuth } = await import('@latchhook/express');
    const app = create();
    if (withCors) {
      app.use((req, res, next) => {
        res.set(CORS_HEADERS);
        if (req.method === 'OPTIONS') res.set(PREFLIGHT_HEADERS).status(204).end();
        else next();
      });
    }
    app.use(latchhook(auth));
    app.use('/api', requireAuth(auth, { scope: 'user' }));
    app.use('/api', (_req, res) => void res.json({ secret: 'contacts' }));
    return app;
  };

const inKoa =
  (load: () => Promise<{ default: typeof Koa }>): MakeListener =>
  async (auth, withCors) => {
    const { default: App } = await load();
    const { latchhook, requireAuth } = await import('@latchhook/koa');
    const app = new App();
    if (withCors) {
      app.use(async (ctx, next) => {
        ctx.set(CORS_HEADERS);
        if (ctx.method !== 'OPTIONS') return next();
        ctx.set(PREFLIGHT_HEADERS);
        ctx.status = 204;
      });
    }
    app.use(latchhook(auth));
    app.use(requireAuth(auth, { scope: 'user' }));
    app.use((ctx) => {
      ctx.body = { secret: 'contacts' };
    });
    return app.callback();
  };

const FRAMEWORKS: readonly (readonly [name: string, listener: MakeListener])[] = [
  ['Express 4', inExpress(() => import('express4'))],
  ['Express 5', inExpress(() => import('express'))],
  ['Koa 2', inKoa(() => import('koa2'))],
  ['Koa 3', inKoa(() => import('koa'))],
];

async function start(listener: MakeListener, { withCors = false } = {}) {
  vi.resetModules();
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => emitWarning.mockRestore());
  const { makeFixture } = await import('./fixture.ts');
  const { auth, accessToken } = await makeFixture();
  const server = createServer(await listener(auth, withCors)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const send = (method: string, path: string, headers: readonly string[]): Promise<HttpResponse> =>
    sendRequest(port, { method, path, headers });
  const codes = () => emitWarning.mock.calls.map(([, details]) => Object(details).code);
  return { send, codes, bearer: ['authorization', `Bearer ${accessToken}`] };
}

const PREFLIGHT = [
  ...['origin', ORIGIN, 'access-control-request-method', 'GET'],
  ...['access-control-request-headers', 'authorization'],
];

describe.each(FRAMEWORKS)('a CORS preflight in %s', (_, listener) => {
  it('gets 401 from requireAuth, and one warning', async () => {
    const { send, codes } = await start(listener);
    const response = await send('OPTIONS', '/api/contacts', PREFLIGHT);
    expect(response.status).toBe(401);
    expect(response.body).not.toContain('contacts');
    await send('OPTIONS', '/api/contacts', PREFLIGHT);
    expect(codes()).toEqual(['LATCHHOOK_CORS']);
  });

  it('gets 405 from routes of Latchhook, and one warning', async () => {
    const { send, codes } = await start(listener);
    expect((await send('OPTIONS', '/token', PREFLIGHT)).status).toBe(405);
    expect(codes()).toEqual(['LATCHHOOK_CORS']);
  });

  it('is answered by CORS middleware that is mounted first, without a warning', async () => {
    const { send, codes, bearer } = await start(listener, { withCors: true });
    for (const path of ['/api/contacts', '/token']) {
      const preflight = await send('OPTIONS', path, PREFLIGHT);
      expect(preflight.status).toBe(204);
      expect(preflight.headers).toMatchObject({ ...CORS_HEADERS, ...PREFLIGHT_HEADERS });
    }
    const rejected = await send('GET', '/api/contacts', ['origin', ORIGIN]);
    expect(rejected.status).toBe(401);
    expect(rejected.headers).toMatchObject({ ...CORS_HEADERS, 'www-authenticate': 'Bearer' });
    expect((await send('GET', '/api/contacts', ['origin', ORIGIN, ...bearer])).status).toBe(200);
    expect(codes()).toEqual([]);
  });
});

describe.each(FRAMEWORKS)('a rejected request in %s', (_, listener) => {
  it('causes no CORS warning if its method or its headers are not those of a preflight', async () => {
    const { send, codes } = await start(listener);
    for (const [method, headers] of [
      ['OPTIONS', []],
      ['OPTIONS', ['origin', ORIGIN]],
      ['GET', PREFLIGHT],
    ] as const) {
      expect((await send(method, '/api/contacts', headers)).status).toBe(401);
    }
    expect(codes()).toEqual([]);
  });
});

it('a CORS preflight that toFetchHandler rejects causes a warning', async () => {
  vi.resetModules();
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => emitWarning.mockRestore());
  const { toFetchHandler } = await import('@latchhook/core');
  const { makeFixture } = await import('./fixture.ts');
  const { auth } = await makeFixture();
  const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' };
  const preflight = new Request('http://localhost/token', { method: 'OPTIONS', headers });
  const response = await toFetchHandler(auth)(preflight);
  expect(response?.status).toBe(405);
  expect(emitWarning.mock.calls.map(([, details]) => Object(details).code)).toEqual([
    'LATCHHOOK_CORS',
  ]);
});
