import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  always,
  blockProcess,
  httpServer,
  request,
  resultOf,
  sender,
  stopPerformanceClock,
  tcpServer,
} from './receivers.test.support.ts';
import { undici } from './undici.ts';

describe('createSender', () => {
  it('posts the bytes with the headers of Standard Webhooks, one signature per secret', async () => {
    const requests: unknown[] = [];
    const url = await httpServer(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      requests.push([req.method, req.url, req.headers, Buffer.concat(chunks).toString()]);
      res.writeHead(201).end('thanks');
    });
    const result = await sender().send(request(`${url}/hooks?a=%20b`));
    expect(result).toEqual({
      status: 201,
      durationMs: expect.any(Number),
      error: null,
      retryAfterMs: null,
    });
    expect(requests).toEqual([
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

  it('keeps the connection of an attempt that `mayBegin` rejects', async () => {
    const ports: (number | undefined)[] = [];
    const url = await httpServer((req, res) => {
      ports.push(req.socket.remotePort);
      res.writeHead(204).end();
    });
    const { send } = sender();
    // The first attempt has to connect; the second one does not.
    for (let sentCount = 0; sentCount < 2; sentCount += 1) {
      expect(await send({ ...request(url), mayBegin: () => false })).toBe('too_late');
      expect(ports).toHaveLength(sentCount);
      expect(await send(request(url))).toMatchObject({ status: 204, error: null });
    }
    expect(new Set(ports).size).toBe(1);
  });

  it('passes only the connect time to `mayBegin`, and 0 for a kept connection', async () => {
    const advance = stopPerformanceClock();
    const { port } = new URL(await httpServer((_req, res) => res.writeHead(204).end()));
    const resolveHost = async () => {
      await nextTurn();
      advance(40);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const { send } = sender({ resolveHost });
    const mayBegin = vi.fn(always);
    const slowToSign = {
      ...request(`http://a.test:${port}/`),
      mayBegin,
      get secrets() {
        advance(30);
        return [];
      },
    };
    for (let i = 0; i < 2; i += 1) await send(slowToSign);
    expect(mayBegin.mock.calls).toEqual([[40], [0]]);
  });

  // Of the time in which the process is blocked, only 50 ms count.
  it.each([
    [200, 1_500, 'waits', setTimeout],
    [0, 200, 'is blocked', blockProcess],
  ])(
    'passes a connect time of %i to %i ms to `mayBegin` if the process %s for the 500 ms of connecting',
    async (least, most, _, act) => {
      const { port } = new URL(await httpServer((_req, res) => res.writeHead(204).end()));
      const resolveHost = async () => {
        await nextTurn();
        await act(500);
        return [{ address: '127.0.0.1', family: 4 }];
      };
      const mayBegin = vi.fn((_connectingMs: number) => true);
      await sender({ resolveHost }).send({ ...request(`http://a.test:${port}/`), mayBegin });
      expect(mayBegin.mock.lastCall?.[0]).toBeGreaterThanOrEqual(least);
      expect(mayBegin.mock.lastCall?.[0]).toBeLessThan(most);
    },
  );

  it('sends all attempts in parallel even after `mayBegin` has rejected some', async () => {
    const waiting: (() => void)[] = [];
    const url = await httpServer((_req, res) => waiting.push(() => res.end()));
    const { send } = sender();
    await undici.load();
    const sendAgain = (mayBegin: () => boolean): void => {
      void send({ ...request(url), mayBegin }).then((outcome) => {
        if (outcome === 'too_late') setImmediate(() => sendAgain(always));
      });
    };
    const COUNT = 200;
    for (let i = 0; i < COUNT; i += 1) sendAgain(() => i % 3 === 0);
    await expect.poll(() => waiting.length, { timeout: 3_000 }).toBe(COUNT);
    for (const answer of waiting) answer();
  });

  it('sends twenty attempts to the same receiver concurrently', async () => {
    const waiting: (() => void)[] = [];
    const url = await httpServer((_req, res) => {
      waiting.push(() => res.end());
      if (waiting.length === 20) for (const answer of waiting) answer();
    });
    const { send } = sender();
    const results = await Promise.all(Array.from({ length: 20 }, () => send(request(url))));
    expect(results.map((result) => resultOf(result).status)).toEqual(Array(20).fill(200));
  });

  it.each([201, 300, 301, 302, 303, 305, 307, 308])(
    'does not follow the location of a response with status %d',
    async (status) => {
      const canary = await tcpServer(() => {});
      for (const location of [canary.url, canary.url.replace('http:', 'https:')]) {
        const headers = { location, refresh: `0; url=${location}`, link: `<${location}>` };
        const url = await httpServer((_req, res) => res.writeHead(status, headers).end());
        expect(await sender().send(request(url))).toMatchObject({ status, error: null });
      }
      expect(canary.connections()).toBe(0);
    },
  );

  it('skips interim responses', async () => {
    const { url } = await tcpServer((socket) =>
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    );
    expect(await sender().send(request(url))).toMatchObject({ status: 200, error: null });
  });

  it('returns Retry-After in ms, by the clock of the receiver', async () => {
    const headers = [
      { 'retry-after': '7' },
      { 'retry-after': 'Tue, 14 Nov 2023 22:13:30 GMT', date: 'Tue, 14 Nov 2023 22:13:20 GMT' },
      { 'retry-after': 'tomorrow' },
    ];
    const url = await httpServer((req, res) =>
      res.writeHead(503, headers[Number(req.url?.slice(1))]).end(),
    );
    const { send } = sender();
    const delays = [];
    for (const index of headers.keys()) {
      delays.push(resultOf(await send(request(`${url}/${index}`))).retryAfterMs);
    }
    expect(delays).toEqual([7_000, 10_000, null]);
  });

  it('reads a Retry-After date by the clock of the store if the response has no Date', async () => {
    const retryAt = new Date(request('').timestampMs + 60_000).toUTCString();
    const { url } = await tcpServer((socket) =>
      socket.end(`HTTP/1.1 503 Busy\r\nRetry-After: ${retryAt}\r\nContent-Length: 0\r\n\r\n`),
    );
    const delayMs = resultOf(await sender().send(request(url))).retryAfterMs ?? 0;
    // HTTP dates have whole seconds.
    expect(delayMs).toBeGreaterThan(55_000);
    expect(delayMs).toBeLessThanOrEqual(60_000);
  });

  it('returns connection_refused for a closed port', async () => {
    // Nothing listens on port 1, and it is never assigned.
    const result = await sender().send(request('http://127.0.0.1:1'));
    expect(result).toMatchObject({ error: 'connection_refused' });
  });

  it.each([
    ['ftp://example.com', 'url_rejected'],
    ['http://example.com', 'url_rejected'],
    ['https://user@example.com', 'url_rejected'],
    ['/hooks', 'url_rejected'],
    ['https://:@example.com', 'url_rejected'],
    ['https://example.com#fragment', 'url_rejected'],
    ['https://127.1', 'address_rejected'],
    ['https://localhost:8443', 'address_rejected'],
  ])('rejects the URL %s with %s', async (url, error) => {
    const { send } = sender({ allowHttp: false, allowPrivateAddresses: false });
    expect(await send(request(url))).toEqual({
      status: null,
      durationMs: 0,
      error,
      retryAfterMs: null,
    });
  });

  it('completes attempts in flight and rejects new ones after close()', async () => {
    let onRequest = (): void => {};
    const requestReceived = new Promise<void>((resolve) => {
      onRequest = resolve;
    });
    let respond = (): void => {};
    const url = await httpServer((_req, res) => {
      respond = () => res.writeHead(204).end();
      onRequest();
    });
    const { send, close } = sender();
    const inFlight = send(request(url));
    await requestReceived;
    const closing = Promise.all([close(), close()]);
    expect(await send(request(url))).toMatchObject({ error: 'sender_failed' });
    respond();
    expect(await inFlight).toMatchObject({ status: 204, error: null });
    await closing;
  });
});
