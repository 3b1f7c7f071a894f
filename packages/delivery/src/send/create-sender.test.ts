import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { gzipSync } from 'node:zlib';
import { Dispatcher } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createSender, type SenderOptions } from './create-sender.ts';
import type { SendRequest } from './sender.ts';

const closeAll: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closeAll.splice(0).reverse()) await close();
});

function sender(options: Partial<SenderOptions> = {}) {
  const made = createSender({ allowHttp: true, allowPrivateAddresses: true, ...options });
  closeAll.push(() => made.close());
  return made;
}

function request(url: string): SendRequest {
  return {
    url,
    deliveryId: 'msg_1',
    body: '{"name":"Zoë"}',
    secrets: [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)],
    timestampMs: 1_700_000_000_999,
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function httpServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closeAll.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';

/** A server that has `answer` write to the socket by itself. Requests are counted over all connections. */
async function tcpServer(answer: (socket: Socket, count: number) => unknown) {
  let count = 0;
  let left = (): void => {};
  const leaves = new Promise<void>((resolve) => {
    left = resolve;
  });
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', left);
    socket.on('data', () => {
      count++;
      answer(socket, count);
    });
  });
  closeAll.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: await listen(server), requests: () => count, leaves };
}

/** Begins, and goes on by the byte. */
function trickle(socket: Socket, beginning: string): void {
  socket.write(beginning);
  const timer = setInterval(() => socket.write('x'), 20);
  socket.once('close', () => clearInterval(timer));
}

describe('createSender', () => {
  it('posts the bytes with the headers of Standard Webhooks, one signature a secret', async () => {
    const seen: unknown[] = [];
    const url = await httpServer(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      seen.push([req.method, req.url, req.headers, Buffer.concat(chunks).toString()]);
      res.writeHead(201).end('thanks');
    });
    const result = await sender().send(request(`${url}/hooks?a=%20b`));
    expect(result).toEqual({
      status: 201,
      durationMs: expect.any(Number),
      error: null,
      response: null,
      retryAfterMs: null,
    });
    expect(seen).toEqual([
      [
        'POST',
        '/hooks?a=%20b',
        {
          host: url.slice('http://'.length),
          connection: 'keep-alive',
          'content-length': '15',
          'content-type': 'application/json',
          'user-agent': expect.stringMatching(/^Latchhook\/\d/),
          'webhook-id': 'msg_1',
          'webhook-timestamp': '1700000000',
          'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/),
        },
        '{"name":"Zoë"}',
      ],
    ]);
  });

  it('keeps a connection for the next attempt', async () => {
    const ports = new Set<number | undefined>();
    const url = await httpServer((req, res) => {
      ports.add(req.socket.remotePort);
      res.writeHead(204).end();
    });
    const { send } = sender();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await send(request(url))).toMatchObject({ status: 204, error: null });
    }
    expect(ports.size).toBe(1);
  });

  it('lets no attempt wait behind another one to the same receiver', async () => {
    const waiting: (() => void)[] = [];
    const url = await httpServer((_req, res) => {
      waiting.push(() => res.end());
      if (waiting.length === 20) for (const answer of waiting) answer();
    });
    const { send } = sender();
    const results = await Promise.all(Array.from({ length: 20 }, () => send(request(url))));
    expect(results.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('follows no redirect', async () => {
    let followed = false;
    const elsewhere = await httpServer((_req, res) => {
      followed = true;
      res.end();
    });
    const url = await httpServer((_req, res) => res.writeHead(307, { location: elsewhere }).end());
    expect(await sender().send(request(url))).toMatchObject({ status: 307, error: null });
    expect(followed).toBe(false);
  });

  it('waits through interim answers', async () => {
    const { url } = await tcpServer((socket) =>
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    );
    expect(await sender().send(request(url))).toMatchObject({ status: 200, error: null });
  });

  it('passes on how long the receiver wants to be left alone, by the clock of the receiver', async () => {
    const headers = [
      { 'retry-after': '7' },
      { 'retry-after': 'Tue, 14 Nov 2023 22:13:30 GMT', date: 'Tue, 14 Nov 2023 22:13:20 GMT' },
      { 'retry-after': 'tomorrow' },
    ];
    const url = await httpServer((req, res) =>
      res.writeHead(503, headers[Number(req.url?.slice(1))]).end(),
    );
    const { send } = sender();
    const told = [];
    for (const index of headers.keys()) {
      told.push((await send(request(`${url}/${index}`))).retryAfterMs);
    }
    expect(told).toEqual([7_000, 10_000, null]);
  });

  it('keeps the first 1,024 bytes of a refusal, as whole characters', async () => {
    const url = await httpServer((_req, res) => res.writeHead(400).end(`a${'ë'.repeat(5_000)}`));
    const { response } = await sender().send(request(url));
    expect(response).toBe(`a${'ë'.repeat(511)}`);
  });

  it('keeps nothing of an answer that takes the delivery', async () => {
    const url = await httpServer((_req, res) => res.end('x'.repeat(5_000)));
    expect(await sender().send(request(url))).toMatchObject({ status: 200, response: null });
  });

  it.each([0x00, 0x1f, 0x7f, 0x85, 0xff])(
    'lets bytes that are no text take no more room than text in the log: %i',
    async (byte) => {
      const content = Buffer.alloc(5_000, byte);
      const url = await httpServer((_req, res) => res.writeHead(500).end(content));
      const { response } = await sender().send(request(url));
      expect(Buffer.byteLength(JSON.stringify(response))).toBeLessThanOrEqual(1_026);
    },
  );

  it('does not unpack what is packed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const url = await httpServer((_req, res) =>
      res.writeHead(500, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const { status, response } = await sender().send(request(url));
    expect(status).toBe(500);
    // Of ten million bytes of nothing there would be nothing but blanks.
    expect(response?.trim()).not.toBe('');
  });

  it('drops an answer without end, which counts by its status', async () => {
    let written = 0;
    let cut = (): void => {};
    const dropped = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const url = await httpServer((_req, res) => {
      const flood = (): void => {
        while (!res.destroyed && res.write('x'.repeat(16_384))) written += 16_384;
      };
      res.on('drain', flood).on('close', cut);
      flood();
    });
    expect(await sender().send(request(url))).toMatchObject({ status: 200, error: null });
    await dropped;
    // What the sockets of both sides buffer included.
    expect(written).toBeLessThan(16_000_000);
  });

  it.each([
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(400)],
    ['blank lines', '', '\r\n'.repeat(8_192)],
    ['a reason phrase', 'HTTP/1.1 200 ', 'x'.repeat(16_384)],
    [
      'chunk extensions',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;',
      'x'.repeat(16_384),
    ],
    [
      'the size of a chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      '0'.repeat(16_384),
    ],
  ])('cuts off a receiver without end in %s', async (_, beginning, more) => {
    let written = 0;
    const { url, leaves } = await tcpServer((socket) => {
      const flood = (): void => {
        while (!socket.destroyed && socket.write(more)) written += more.length;
      };
      socket.write(beginning);
      socket.on('drain', flood);
      flood();
    });
    expect(await sender().send(request(url))).toMatchObject({ error: 'invalid_answer' });
    await leaves;
    // What the sockets of both sides buffer included.
    expect(written).toBeLessThan(16_000_000);
  });

  it('counts what a connection brings for each answer anew', async () => {
    const content = 'x'.repeat(60_000);
    const { url, requests } = await tcpServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${content.length}\r\n\r\n${content}`);
    });
    const { send } = sender();
    for (let count = 1; count <= 8; count++) {
      expect(await send(request(url))).toMatchObject({ status: 200, error: null });
      expect(requests()).toBe(count);
    }
  });

  it.each([
    ['that never answers', () => {}, null],
    [
      'that sends its status by the byte',
      (socket: Socket) => trickle(socket, 'HTTP/1.1 200 '),
      null,
    ],
    [
      'that sends headers by the byte',
      (socket: Socket) => trickle(socket, 'HTTP/1.1 200 OK\r\nX: '),
      null,
    ],
    [
      'that sends its content by the byte',
      (socket: Socket) => trickle(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n'),
      200,
    ],
  ])('gives up on a receiver %s when time is up', async (_, answer, status) => {
    const { url, leaves } = await tcpServer(answer);
    const startedAt = performance.now();
    const result = await sender({ timeoutMs: 150 }).send(request(url));
    expect(result).toMatchObject({ status, error: 'timeout' });
    expect(result.durationMs).toBeGreaterThan(140);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await leaves;
  });

  it('gives up on a connection that does not come about when time is up', async () => {
    const { url } = await tcpServer(() => {});
    const { send } = sender({ timeoutMs: 100 });
    // The receiver hears the first word of TLS, and says nothing.
    const result = await send(request(url.replace('http:', 'https:')));
    expect(result).toMatchObject({ status: null, error: 'timeout' });
    expect(result.durationMs).toBeLessThan(1_000);
  });

  it('gives up on a dispatcher that never begins', async () => {
    class Idle extends Dispatcher {
      override dispatch(): boolean {
        return true;
      }
    }
    const { send } = sender({ timeoutMs: 50, dispatcher: new Idle() });
    expect(await send(request('http://127.0.0.1'))).toMatchObject({ error: 'timeout' });
  });

  it.each([
    ['what is no HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['headers of 1 MiB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1 << 20)}\r\n\r\n`],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n',
    ],
    ['100 unasked', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('takes %s for no answer', async (_, bytes) => {
    const { url } = await tcpServer((socket) => socket.write(bytes));
    expect(await sender().send(request(url))).toMatchObject({
      status: null,
      error: 'invalid_answer',
      response: null,
    });
  });

  it.each([
    ['before the answer', '', null],
    ['within the headers', 'HTTP/1.1 200 OK\r\nX: y', null],
    ['within the content', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx', 200],
    ['within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nx', 200],
  ])('does not believe an answer of which the connection ends %s', async (_, bytes, status) => {
    const ends: ((socket: Socket) => void)[] = [
      (socket) => socket.end(bytes),
      (socket) => socket.write(bytes, () => setImmediate(() => socket.resetAndDestroy())),
    ];
    for (const end of ends) {
      const { url, requests } = await tcpServer(end);
      expect(await sender().send(request(url))).toMatchObject({
        status,
        error: 'connection_reset',
      });
      expect(requests()).toBe(1);
    }
  });

  it('sends once more where a connection that was kept alive ends instead of an answer', async () => {
    const { url, requests } = await tcpServer((socket, count) => {
      if (count === 2) socket.resetAndDestroy();
      else socket.write(NO_CONTENT);
    });
    const { send } = sender();
    await send(request(url));
    expect(await send(request(url))).toMatchObject({ status: 204, error: null });
    expect(requests()).toBe(3);
  });

  it('sends no more than once more', async () => {
    const { url, requests } = await tcpServer((socket, count) => {
      if (count === 1) socket.write(NO_CONTENT);
      else socket.end();
    });
    const { send } = sender();
    await send(request(url));
    expect(await send(request(url))).toMatchObject({ status: null, error: 'connection_reset' });
    expect(requests()).toBe(3);
  });

  it('names a port where nobody listens', async () => {
    const url = await httpServer(() => {});
    await closeAll.pop()?.();
    expect(await sender().send(request(url))).toMatchObject({ error: 'connection_refused' });
  });

  it.each([
    ['ftp://example.com', 'url_refused'],
    ['http://example.com', 'url_refused'],
    ['https://user@example.com', 'url_refused'],
    ['/hooks', 'url_refused'],
    ['https://127.1', 'address_refused'],
  ])('sends nothing to %s where that is not allowed', async (url, error) => {
    const { send } = sender({ allowHttp: false, allowPrivateAddresses: false });
    expect(await send(request(url))).toEqual({
      status: null,
      durationMs: 0,
      error,
      response: null,
      retryAfterMs: null,
    });
  });

  it('lets what is under way end when it is closed, and takes nothing more', async () => {
    let answer = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let respond = (): void => {};
    const url = await httpServer((_req, res) => {
      respond = () => res.writeHead(204).end();
      answer();
    });
    const { send, close } = sender();
    const underWay = send(request(url));
    await arrived;
    const closing = Promise.all([close(), close()]);
    expect(await send(request(url))).toMatchObject({ error: 'sender_failed' });
    respond();
    expect(await underWay).toMatchObject({ status: 204, error: null });
    await closing;
  });
});
