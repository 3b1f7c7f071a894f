import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Auth } from '../auth.ts';
import type { AuthRequest, AuthResponse } from './messages.ts';
import { BODY_READ_LIMIT_MS } from './read-node-request.ts';
import { type FetchHandlerOptions, toFetchHandler } from './to-fetch-handler.ts';

const ORIGIN = 'https://api.example.com';
const MAX_BYTES = 16_384;
const JSON_TYPE = { 'content-type': 'application/json' };

afterEach(() => {
  vi.useRealTimers();
});

/** A handler whose only route is `/token`; records the requests to that route. */
function fixture(
  options?: FetchHandlerOptions,
  response: AuthResponse = { status: 200, headers: JSON_TYPE, body: '{"ok":true}' },
) {
  const requests: AuthRequest[] = [];
  const http: Auth['http'] = {
    owns: (path) => path === '/token',
    routeOf: (path) => path,
    handle: async (request) => {
      requests.push(request);
      return response;
    },
  };
  return { handle: toFetchHandler({ http }, options), requests };
}

function post(url: string, body: string | ReadableStream | null): Request {
  return new Request(`${ORIGIN}${url}`, {
    method: 'POST',
    headers: JSON_TYPE,
    body,
    duplex: 'half',
  });
}

describe('toFetchHandler', () => {
  it('passes the request to the route as plain data', async () => {
    const { handle, requests } = fixture();
    await handle(post('/token?version=v1', '{"a":1}'), { remoteAddress: '192.0.2.1' });
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/token',
        mountPath: '',
        query: 'version=v1',
        headers: JSON_TYPE,
        authorization: undefined,
        body: { kind: 'raw', bytes: new TextEncoder().encode('{"a":1}') },
        remoteAddress: '192.0.2.1',
      },
    ]);
  });

  it('accepts the address undefined, of a server that reports none', async () => {
    const { handle, requests } = fixture();
    await handle(post('/token', null), { remoteAddress: undefined });
    expect(requests).toMatchObject([{ remoteAddress: undefined }]);
  });

  it('joins two Authorization headers into one invalid value', async () => {
    const { handle, requests } = fixture();
    const request = post('/token', null);
    request.headers.append('authorization', 'Bearer a');
    await handle(request);
    request.headers.append('authorization', 'Bearer b');
    await handle(request);
    expect(requests).toMatchObject([
      { authorization: 'Bearer a' },
      { authorization: 'Bearer a, Bearer b' },
    ]);
  });

  it('returns the status, headers and body of the route', async () => {
    const response = await fixture().handle(post('/token', null));
    expect(response?.status).toBe(200);
    expect(response?.headers.get('content-type')).toBe('application/json');
    expect(await response?.text()).toBe('{"ok":true}');
  });

  it('strips the mount path from the path', async () => {
    const { handle, requests } = fixture({ mountPath: '/api/auth' });
    await handle(post('/api/auth/token', null));
    expect(requests).toMatchObject([{ path: '/token', mountPath: '/api/auth' }]);
  });

  it.each([
    [{}, '/tokens'],
    [{ mountPath: '/auth' }, '/token'],
    [{ mountPath: '/auth' }, '/auth'],
    [{ mountPath: '/auth' }, '/authtoken'],
  ])(
    'with the options %j, returns undefined for the path %s, and leaves the body unread',
    async (options, url) => {
      const { handle, requests } = fixture(options);
      const request = post(url, '{"a":1}');
      expect(await handle(request)).toBeUndefined();
      expect(requests).toEqual([]);
      expect(await request.json()).toEqual({ a: 1 });
    },
  );

  it.each(['auth', '/auth/', '/'])(
    'throws mount_path_invalid for the mount path %j',
    (mountPath) => {
      expect(() => fixture({ mountPath })).toThrow(
        expect.objectContaining({ code: 'mount_path_invalid' }),
      );
    },
  );

  it.each([
    ['mount_path_invalid', { mountPath: 8080 }],
    ['mount_path_invalid', { mountPath: null }],
    ['option_unknown', { mountpath: '/auth' }],
    ['options_invalid', '/auth'],
    ['options_invalid', null],
  ])('throws %s for the options %j', (code, options) => {
    const http = { owns: () => true, routeOf: () => undefined, handle: async () => undefined };
    expect(() => Reflect.apply(toFetchHandler, undefined, [{ http }, options])).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it('throws auth_invalid for `auth.http` instead of `auth`', () => {
    const http = { owns: () => true, handle: async () => undefined };
    expect(() => Reflect.apply(toFetchHandler, undefined, [http])).toThrow('[auth_invalid]');
  });

  it('returns a 204 without content', async () => {
    const { handle } = fixture({}, { status: 204, headers: {}, body: '' });
    expect((await handle(post('/token', null)))?.status).toBe(204);
  });

  it('returns no body to HEAD', async () => {
    const response = await fixture().handle(new Request(`${ORIGIN}/token`, { method: 'HEAD' }));
    expect(response?.body).toBeNull();
  });
});

describe('toFetchHandler and the body', () => {
  async function bodyOf(request: Request): Promise<AuthRequest['body'] | undefined> {
    const { handle, requests } = fixture();
    await handle(request);
    return requests[0]?.body;
  }

  function chunked(...chunks: readonly string[]): ReadableStream {
    return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
  }

  it.each([
    ['null', null],
    ['an empty string', ''],
    ['an empty stream', chunked()],
  ])('passes a body of the kind none for %s', async (_, body) => {
    expect(await bodyOf(post('/token', body))).toEqual({ kind: 'none' });
  });

  it('concatenates chunks', async () => {
    expect(await bodyOf(post('/token', chunked('{"a"', ':1}')))).toEqual({
      kind: 'raw',
      bytes: Buffer.from('{"a":1}'),
    });
  });

  it('reports a body that the host has consumed as consumed', async () => {
    const request = post('/token', '{}');
    await request.text();
    expect(await bodyOf(request)).toEqual({ kind: 'unreadable', reason: 'consumed' });
  });

  it('reports a body that the host is reading as consumed', async () => {
    const request = post('/token', '{}');
    request.body?.getReader();
    expect(await bodyOf(request)).toEqual({ kind: 'unreadable', reason: 'consumed' });
  });

  it('reads a stream of 16,384 bytes', async () => {
    const body = chunked('x'.repeat(MAX_BYTES));
    expect(await bodyOf(post('/token', body))).toMatchObject({ kind: 'raw' });
  });

  it('reports a stream of more than 16,384 bytes as too large, and cancels it', async () => {
    const cancel = vi.fn();
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(MAX_BYTES)),
      cancel,
    });
    expect(await bodyOf(post('/token', endless))).toEqual({
      kind: 'unreadable',
      reason: 'too_large',
    });
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('reports a body as too large by its Content-Length', async () => {
    const request = post('/token', new ReadableStream());
    request.headers.set('content-length', String(MAX_BYTES + 1));
    expect(await bodyOf(request)).toEqual({ kind: 'unreadable', reason: 'too_large' });
  });

  it('reports a timeout if a body does not arrive within ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = bodyOf(post('/token', new ReadableStream()));
    await vi.advanceTimersByTimeAsync(BODY_READ_LIMIT_MS);
    expect(await body).toEqual({ kind: 'unreadable', reason: 'timeout' });
  });

  it('reports a body as aborted if its stream has strings instead of bytes', async () => {
    const text = ReadableStream.from(['abc', 'def']);
    expect(await bodyOf(post('/token', text))).toEqual({ kind: 'unreadable', reason: 'aborted' });
  });

  it('reports a body as aborted if its stream fails', async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('reset')),
    });
    expect(await bodyOf(post('/token', broken))).toEqual({ kind: 'unreadable', reason: 'aborted' });
  });
});
