import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RequestBody } from './messages.ts';
import { BODY_READ_LIMIT_MS, readNodeBody } from './read-node-body.ts';

const LIMIT = 16_384;
const EMPTY_CHUNKS = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

/** What a host does with the request before it comes to us; answers what it leaves in `req.body`. */
type Host = (req: IncomingMessage) => unknown;

interface Running {
  readonly port: number;
  /** What the reader answered, in order of requests. */
  readonly bodies: Promise<RequestBody>[];
  /** Called for each request once the reader has begun. */
  readonly begun: Promise<void>;
}

const open: (Server | Socket)[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const one of open.splice(0)) 'destroy' in one ? one.destroy() : one.close();
});

async function serve(host: Host = () => undefined): Promise<Running> {
  const bodies: Promise<RequestBody>[] = [];
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const server = createServer((req, res) => {
    const answer = async (handedOver: unknown): Promise<void> => {
      const body = readNodeBody(req, handedOver);
      bodies.push(body);
      begin();
      res.end((await body).kind);
    };
    const handedOver = host(req);
    if (handedOver instanceof Promise) void handedOver.then(answer);
    else void answer(handedOver);
  }).listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, bodies, begun };
}

async function post(
  { port, bodies }: Running,
  body: string | ReadableStream | null,
): Promise<RequestBody | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body,
    duplex: 'half',
  });
  const answer = await bodies.at(-1);
  expect(await response.text()).toBe(answer?.kind);
  return answer;
}

/** Writes raw bytes, and keeps the connection open. */
function dial({ port }: Running, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1');
  open.push(socket);
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

function chunked(...chunks: readonly string[]): ReadableStream {
  return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
}

function textOf(body: RequestBody | undefined): string {
  if (body?.kind !== 'raw') throw new Error(`not raw: ${JSON.stringify(body)}`);
  return Buffer.from(body.bytes).toString();
}

describe('readNodeBody, where nobody has read before', () => {
  it('reads the bytes', async () => {
    expect(textOf(await post(await serve(), '{"a":"é"}'))).toBe('{"a":"é"}');
  });

  it('puts chunks together', async () => {
    expect(textOf(await post(await serve(), chunked('{"a"', ':', '1}')))).toBe('{"a":1}');
  });

  it('reads past the {} that body-parser 1 leaves for a body that it has skipped', async () => {
    expect(textOf(await post(await serve(() => ({})), '{"a":1}'))).toBe('{"a":1}');
  });

  it.each([
    ['no framing header', null],
    ['a length of 0', ''],
  ])('finds no body behind %s', async (_, body) => {
    expect(await post(await serve(), body)).toEqual({ kind: 'none' });
  });

  it('finds no body in chunks that hold nothing', async () => {
    const host = await serve();
    dial(host, EMPTY_CHUNKS);
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'none' });
  });

  it('reads what a listener of the host hears too', async () => {
    let heard = '';
    const host = await serve((req) => {
      req.on('data', (chunk) => {
        heard += chunk;
      });
    });
    expect(textOf(await post(host, '{"a":1}'))).toBe('{"a":1}');
    expect(heard).toBe('{"a":1}');
  });

  it('wakes a stream that the host has paused', async () => {
    const host = await serve((req) => void req.pause());
    expect(textOf(await post(host, '{"a":1}'))).toBe('{"a":1}');
  });

  it.each(['utf8', 'latin1'] as const)('takes strings, where the host has set %s', async (set) => {
    const host = await serve((req) => void req.setEncoding(set));
    expect(textOf(await post(host, '{"a":"é"}'))).toBe('{"a":"é"}');
  });
});

describe('readNodeBody, where the host has read before', () => {
  const readBy = (leave: (body: string) => unknown): Host => {
    return async (req) => leave(await text(req));
  };

  it.each([{ a: 1 }, [1], null, 7, false])('takes %j as parsed', async (value) => {
    expect(await post(await serve(readBy(() => value)), '{}')).toEqual({ kind: 'parsed', value });
  });

  it.each([
    ['a Buffer', (body: string) => Buffer.from(body)],
    ['a Uint8Array', (body: string) => new TextEncoder().encode(body)],
    ['a string', (body: string) => body],
  ])('takes %s as bytes', async (_, leave) => {
    expect(textOf(await post(await serve(readBy(leave)), '{"a":"é"}'))).toBe('{"a":"é"}');
  });

  it('says so where nothing is left of it', async () => {
    expect(await post(await serve(readBy(() => undefined)), '{}')).toEqual({
      kind: 'unreadable',
      reason: 'consumed',
    });
  });

  it('does not say that a body was lost where there was none', async () => {
    expect(await post(await serve(readBy(() => undefined)), null)).toEqual({ kind: 'none' });
  });

  it('does not say that a body was lost where its chunks held nothing', async () => {
    const host = await serve(readBy(() => undefined));
    dial(host, EMPTY_CHUNKS);
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'none' });
  });

  it('does not wait for a stream that somebody else is reading', async () => {
    const host = await serve(async (req) => void (await once(req, 'data')));
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';
    const socket = dial(host, `${head}12345`);
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'unreadable', reason: 'consumed' });
    socket.write('67890');
  });
});

describe('readNodeBody and its bounds', () => {
  const TOO_LARGE = { kind: 'unreadable', reason: 'too_large' };

  it('reads exactly as much as it may', async () => {
    expect(textOf(await post(await serve(), 'x'.repeat(LIMIT)))).toHaveLength(LIMIT);
    expect(textOf(await post(await serve(), chunked('x'.repeat(LIMIT))))).toHaveLength(LIMIT);
  });

  it('gives up by the announced length, before any of the body has come', async () => {
    const host = await serve();
    const socket = dial(host, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    expect(await host.bodies[0]).toEqual(TOO_LARGE);
    expect(String(answer)).toContain('200 OK');
  });

  it('gives up by the announced length where the host has parsed it', async () => {
    const host = await serve(async (req) => JSON.parse(await text(req)));
    expect(await post(host, `{"a":"${'x'.repeat(LIMIT)}"}`)).toEqual(TOO_LARGE);
  });

  it('gives up in the middle of chunks', async () => {
    expect(await post(await serve(), chunked('x'.repeat(LIMIT), 'x'))).toEqual(TOO_LARGE);
  });

  it.each([
    ['announced', false],
    ['in chunks', true],
  ])('lets a client that writes megabytes, %s, read its answer, and go on', async (_, inChunks) => {
    const host = await serve();
    const megabytes = 'x'.repeat(4 << 20);
    expect(await post(host, inChunks ? chunked(megabytes) : megabytes)).toEqual(TOO_LARGE);
    expect(textOf(await post(host, '{}'))).toBe('{}');
  });

  it('gives up on a body that does not arrive in ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const host = await serve();
    dial(host, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n1234');
    await host.begun;
    vi.advanceTimersByTime(BODY_READ_LIMIT_MS - 1);
    expect(await Promise.race([host.bodies[0], 'still reading'])).toBe('still reading');
    vi.advanceTimersByTime(1);
    expect(await host.bodies[0]).toEqual({ kind: 'unreadable', reason: 'timeout' });
  });

  it('leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await post(await serve(), '{}');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('notices a client that goes away', async () => {
    const host = await serve();
    const socket = dial(host, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n1234');
    await host.begun;
    socket.destroy();
    expect(await host.bodies[0]).toEqual({ kind: 'unreadable', reason: 'aborted' });
  });

  it('notices a client that was gone before we were called', async () => {
    const host = await serve((req) => new Promise((left) => req.once('close', left)));
    const socket = dial(host, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n');
    await once(socket, 'connect');
    setImmediate(() => socket.destroy());
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'unreadable', reason: 'aborted' });
  });

  it('survives a client that goes away after it was given up on', async () => {
    const host = await serve();
    const socket = dial(host, 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write(`${(LIMIT + 1).toString(16)}\r\n${'x'.repeat(LIMIT + 1)}\r\n`);
    await host.begun;
    expect(await host.bodies[0]).toEqual(TOO_LARGE);
    socket.destroy();
    expect(textOf(await post(host, '{}'))).toBe('{}');
  });
});
