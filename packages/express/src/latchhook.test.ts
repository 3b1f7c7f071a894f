import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Auth } from '@latchhook/core';
import type { AuthRequest, AuthResponse } from '@latchhook/core/adapter';
import express, { type Express } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { latchhook } from './latchhook.ts';

const OK: AuthResponse = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"ok":true}',
};

const closeAll: (() => void)[] = [];
afterEach(() => {
  for (const close of closeAll.splice(0)) close();
});

/** An `auth` that owns only the route `/token`. */
function authWith(handle: Auth['http']['handle']): Pick<Auth, 'http'> {
  return { http: { owns: (path) => path === '/token', routeOf: (path) => path, handle } };
}

async function listen(app: Express): Promise<number> {
  const server = app.listen(0, '127.0.0.1');
  closeAll.push(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function post(port: number, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: '{}' });
}

describe('latchhook for Express', () => {
  it('passes the request to the route as plain data', async () => {
    const requests: AuthRequest[] = [];
    const app = express().use(
      '/api/auth',
      latchhook(
        authWith(async (request) => {
          requests.push(request);
          return OK;
        }),
      ),
    );
    await post(await listen(app), '/api/auth/token?version=v1', { 'x-a': 'b' });
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/token',
        mountPath: '/api/auth',
        query: 'version=v1',
        headers: expect.objectContaining({ 'x-a': 'b' }),
        authorization: undefined,
        body: { kind: 'raw', bytes: Buffer.from('{}') },
        remoteAddress: '127.0.0.1',
      },
    ]);
  });

  it.each([
    ['ignores X-Forwarded-For if the app does not trust it', false, '127.0.0.1'],
    ['passes on the address in X-Forwarded-For that the app trusts', 1, '192.0.2.2'],
  ])('%s', async (_, trusted, expected) => {
    const addresses: unknown[] = [];
    const app = express().set('trust proxy', trusted);
    app.use(
      latchhook(
        authWith(async ({ remoteAddress }) => {
          addresses.push(remoteAddress);
          return OK;
        }),
      ),
    );
    await post(await listen(app), '/token', { 'x-forwarded-for': '192.0.2.1, 192.0.2.2' });
    expect(addresses).toEqual([expected]);
  });

  it('keeps the headers that the host has set', async () => {
    const app = express().use((_req, res, next) => {
      res.setHeader('x-request-id', '7');
      next();
    });
    app.use(latchhook(authWith(async () => OK)));
    const response = await post(await listen(app), '/token');
    expect(response.headers.get('x-request-id')).toBe('7');
    expect(await response.text()).toBe(OK.body);
  });

  it('sends a 204 without content and Content-Length, even if a wrapped `writeHead` returns nothing', async () => {
    const noContent = { status: 204, headers: {}, body: '' };
    const app = express().use((_req, res, next) => {
      const writeHead = res.writeHead.bind(res);
      // Wrappers of middleware may return nothing: Node itself ignores the result.
      Object.assign(res, { writeHead: (status: number) => void writeHead(status) });
      next();
    });
    app.use(latchhook(authWith(async () => noContent)));
    const response = await post(await listen(app), '/token');
    expect(response.status).toBe(204);
    expect(response.headers.get('content-length')).toBeNull();
  });

  it('writes no content for HEAD', async () => {
    const app = express().use(latchhook(authWith(async () => OK)));
    const server = createServer({ rejectNonStandardBodyWrites: true }, app).listen(0, '127.0.0.1');
    closeAll.push(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/token`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(OK.body.length));
  });

  it("passes an error to the host's error handler", async () => {
    const app = express().use(latchhook(authWith(() => Promise.reject(new Error('fault')))));
    app.use(((error, _req, res, _next) => {
      res.status(599).end(error.message);
    }) satisfies express.ErrorRequestHandler);
    const response = await post(await listen(app), '/token');
    expect([response.status, await response.text()]).toEqual([599, 'fault']);
  });

  it('does not change a response that the host began while the route ran', async () => {
    let end = (): void => {};
    const app = express().use((_req, res, next) => {
      next();
      res.status(503).write('too ');
      end = () => res.end('late');
    });
    app.use(
      latchhook(
        authWith(async () => {
          // The response of the host ends after the route has returned its own.
          setImmediate(() => end());
          return OK;
        }),
      ),
    );
    const faults: unknown[] = [];
    app.use(((error, _req, _res, _next) => {
      faults.push(error);
    }) satisfies express.ErrorRequestHandler);
    const response = await post(await listen(app), '/token');
    expect([response.status, await response.text()]).toEqual([503, 'too late']);
    expect(faults).toEqual([]);
  });

  it('writes nothing to a client that has disconnected', async () => {
    const app = express();
    const disconnected = new Promise<ServerResponse>((resolve) => {
      app.use((_req, res, next) => {
        res.once('close', () => resolve(res));
        next();
      });
    });
    const socket = new Socket();
    app.use(
      latchhook(
        authWith(async () => {
          socket.destroy();
          await disconnected;
          return OK;
        }),
      ),
    );
    const port = await listen(app);
    socket.connect(port, '127.0.0.1');
    socket.write('POST /token HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
    const res = await disconnected;
    // A whole other request, so that the middleware has had time to write.
    expect((await fetch(`http://127.0.0.1:${port}/elsewhere`)).status).toBe(404);
    expect(res.headersSent).toBe(false);
  });

  it('changes neither the list of cookies of the host nor that of the response', async () => {
    const ofHost = ['old=; Max-Age=0'];
    const cookies = ['a=2'];
    const app = express().use((_req, res, next) => {
      res.setHeader('set-cookie', ofHost);
      next();
    });
    app.use(latchhook(authWith(async () => ({ ...OK, cookies }))));
    const response = await post(await listen(app), '/token');
    expect(response.headers.getSetCookie()).toEqual(['old=; Max-Age=0', 'a=2']);
    expect([ofHost, cookies]).toEqual([['old=; Max-Age=0'], ['a=2']]);
  });

  it('adds each cookie in a separate header to the cookies of the host', async () => {
    const app = express().use((_req, res, next) => {
      res.setHeader('set-cookie', 'host=1');
      next();
    });
    app.use(latchhook(authWith(async () => ({ ...OK, cookies: ['a=2', 'b=3'] }))));
    const response = await post(await listen(app), '/token');
    expect(response.headers.getSetCookie()).toEqual(['host=1', 'a=2', 'b=3']);
  });

  it.each([
    ['undefined', undefined],
    ['`auth.http`', { owns: () => true, handle: async () => OK }],
    ['an object with an empty `http`', { http: {} }],
  ])('throws if it gets %s instead of `auth`', (_, input) => {
    expect(() => Reflect.apply(latchhook, undefined, [input])).toThrow(
      'latchhook takes what createAuth has made, as a whole: latchhook(auth).',
    );
  });
});
