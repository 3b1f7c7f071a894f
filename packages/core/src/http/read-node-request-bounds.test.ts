import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chunked, post, serve, textOf, writeRaw } from './node-body-fixture.test.support.ts';
import { BODY_READ_LIMIT_MS } from './read-node-request.ts';

const LIMIT = 16_384;

afterEach(() => {
  vi.useRealTimers();
});

describe('readNodeBody', () => {
  const TOO_LARGE = { kind: 'unreadable', reason: 'too_large' };

  it('reads a body of exactly 16,384 bytes', async () => {
    expect(textOf(await post(await serve(), 'x'.repeat(LIMIT)))).toHaveLength(LIMIT);
    expect(textOf(await post(await serve(), chunked('x'.repeat(LIMIT))))).toHaveLength(LIMIT);
  });

  it('rejects a body by its Content-Length before any of it has arrived', async () => {
    const host = await serve();
    const socket = writeRaw(
      host,
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`,
    );
    const [response] = await once(socket, 'data');
    expect(await host.bodies[0]).toEqual(TOO_LARGE);
    expect(String(response)).toContain('200 OK');
  });

  it('rejects a body by its Content-Length even if the host has parsed it', async () => {
    const host = await serve(async (req) => JSON.parse(await text(req)));
    expect(await post(host, `{"a":"${'x'.repeat(LIMIT)}"}`)).toEqual(TOO_LARGE);
  });

  it('rejects a chunked body once it exceeds the limit', async () => {
    expect(await post(await serve(), chunked('x'.repeat(LIMIT), 'x'))).toEqual(TOO_LARGE);
  });

  it.each([
    ['with a Content-Length', false],
    ['in chunks', true],
  ])(
    'lets a client that has sent megabytes %s read the response and send another request',
    async (_, inChunks) => {
      const host = await serve();
      const megabytes = 'x'.repeat(4 << 20);
      expect(await post(host, inChunks ? chunked(megabytes) : megabytes)).toEqual(TOO_LARGE);
      expect(textOf(await post(host, '{}'))).toBe('{}');
    },
  );

  it('times out if a body does not arrive within ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const host = await serve();
    writeRaw(host, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n1234');
    await host.begun;
    vi.advanceTimersByTime(BODY_READ_LIMIT_MS - 1);
    expect(await Promise.race([host.bodies[0], 'still reading'])).toBe('still reading');
    vi.advanceTimersByTime(1);
    expect(await host.bodies[0]).toEqual({ kind: 'unreadable', reason: 'timeout' });
  });

  it('leaves no timer behind once it has resolved', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await post(await serve(), '{}');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('reports a body as aborted if the client disconnects', async () => {
    const host = await serve();
    const socket = writeRaw(host, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n1234');
    await host.begun;
    socket.destroy();
    expect(await host.bodies[0]).toEqual({ kind: 'unreadable', reason: 'aborted' });
  });

  it('reports a body as aborted if the client disconnected before the call', async () => {
    const host = await serve((req) => new Promise((resolve) => req.once('close', resolve)));
    const socket = writeRaw(host, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n');
    await once(socket, 'connect');
    setImmediate(() => socket.destroy());
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'unreadable', reason: 'aborted' });
  });

  it('throws nothing if a client disconnects after its body was rejected', async () => {
    const host = await serve();
    const socket = writeRaw(
      host,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    socket.write(`${(LIMIT + 1).toString(16)}\r\n${'x'.repeat(LIMIT + 1)}\r\n`);
    await host.begun;
    expect(await host.bodies[0]).toEqual(TOO_LARGE);
    socket.destroy();
    expect(textOf(await post(host, '{}'))).toBe('{}');
  });
});
