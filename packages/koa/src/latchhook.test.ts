import { once } from 'node:events';
import { type AddressInfo, Socket } from 'node:net';
import type { Auth } from '@latchhook/core';
import type { AuthRequest, AuthResponse } from '@latchhook/core/adapter';
import Koa from 'koa';
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

async function listen(app: Koa): Promise<number> {
  const server = app.listen(0, '127.0.0.1');
  closeAll.push(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function post(port: number, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: '{}' });
}

describe('latchhook for Koa', () => {
  it('passes the request to the route as plain data', async () => {
    const requests: AuthRequest[] = [];
    const app = new Koa().use((ctx, next) => {
      // Shortens the path as koa-mount does.
      ctx.path = ctx.path.replace('/api/auth', '');
      return next();
    });
    app.use(
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
    ['ignores X-Forwarded-For if the app does not trust it', {}, '127.0.0.1'],
    [
      'passes on the address in X-Forwarded-For that the app trusts',
      { proxy: true, maxIpsCount: 1 },
      '192.0.2.2',
    ],
  ])('%s', async (_, options, expected) => {
    const addresses: unknown[] = [];
    const app = new Koa(options).use(
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

  it('sets a response that the outer middleware can read and extend', async () => {
    const responseParts: unknown[] = [];
    const app = new Koa().use(async (ctx, next) => {
      await next();
      responseParts.push(ctx.status, ctx.body);
      ctx.set('x-request-id', '7');
    });
    app.use(latchhook(authWith(async () => OK)));
    const response = await post(await listen(app), '/token');
    expect(responseParts).toEqual([200, OK.body]);
    expect(response.headers.get('x-request-id')).toBe('7');
    expect(await response.text()).toBe(OK.body);
  });

  it('sends a 204 without content and Content-Length', async () => {
    const noContent = { status: 204, headers: {}, body: '' };
    const app = new Koa().use(latchhook(authWith(async () => noContent)));
    const response = await post(await listen(app), '/token');
    expect(response.status).toBe(204);
    expect(response.headers.get('content-length')).toBeNull();
  });

  it('throws an error to the outer middleware', async () => {
    const app = new Koa().use(async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        ctx.status = 599;
        ctx.body = String(error);
      }
    });
    app.use(latchhook(authWith(() => Promise.reject(new Error('fault')))));
    const response = await post(await listen(app), '/token');
    expect([response.status, await response.text()]).toEqual([599, 'Error: fault']);
  });

  it('does not change a response that the host sent while the route ran', async () => {
    const app = new Koa().use(async (ctx, next) => {
      const handled = next();
      ctx.res.writeHead(503).end('too late');
      await handled;
    });
    app.use(latchhook(authWith(async () => OK)));
    const response = await post(await listen(app), '/token');
    expect([response.status, await response.text()]).toEqual([503, 'too late']);
  });

  it('emits no error if the client has disconnected', async () => {
    const app = new Koa();
    const faults: unknown[] = [];
    app.on('error', (fault) => faults.push(fault));
    const disconnected = new Promise<void>((resolve) => {
      app.use((ctx, next) => {
        ctx.res.once('close', resolve);
        return next();
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
    await disconnected;
    // A whole other request, so that the middleware has had time to write.
    expect((await fetch(`http://127.0.0.1:${port}/elsewhere`)).status).toBe(404);
    expect(faults).toEqual([]);
  });

  it('changes neither the list of cookies of the host nor that of the response', async () => {
    const ofHost = ['old=; Max-Age=0'];
    const cookies = ['a=2'];
    const app = new Koa().use((ctx, next) => {
      ctx.res.setHeader('set-cookie', ofHost);
      return next();
    });
    app.use(latchhook(authWith(async () => ({ ...OK, cookies }))));
    const response = await post(await listen(app), '/token');
    expect(response.headers.getSetCookie()).toEqual(['old=; Max-Age=0', 'a=2']);
    expect([ofHost, cookies]).toEqual([['old=; Max-Age=0'], ['a=2']]);
  });

  it('adds each cookie in a separate header to the cookies of the host', async () => {
    const app = new Koa().use((ctx, next) => {
      ctx.cookies.set('host', '1', { httpOnly: false });
      return next();
    });
    app.use(latchhook(authWith(async () => ({ ...OK, cookies: ['a=2', 'b=3'] }))));
    const response = await post(await listen(app), '/token');
    expect(response.headers.getSetCookie()).toEqual(['host=1; path=/', 'a=2', 'b=3']);
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
