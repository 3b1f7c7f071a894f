import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Pool } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Connector } from './attempt-client.ts';
import { PoolTransport } from './pool-transport.ts';
import { request, resultOf, sender, stopPerformanceClock } from './receivers.test.support.ts';
import { RequestConnection } from './request-connection.ts';
import type { ResolveHost } from './resolve-host.ts';
import type { SendRequest } from './sender.ts';

/** Longer than the tests take, so that no idle connection is closed. */
const KEEP_ALIVE_MS = 60_000;

const resolveToLoopback: ResolveHost = async () => [{ address: '127.0.0.1', family: 4 }];

/** Starts a receiver that keeps connections open, and counts them. */
async function keepAliveServer(answer: (res: ServerResponse) => void = (res) => void res.end()) {
  let opened = 0;
  const server = createServer((_req, res) => answer(res));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('connection', () => {
    opened += 1;
  });
  // The backlog has room for all connections of a test.
  server.listen({ port: 0, host: '127.0.0.1', backlog: 511 });
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const countOpen = promisify(server.getConnections.bind(server));
  return { port, url: `http://127.0.0.1:${port}/`, opened: () => opened, countOpen };
}

it('the transport keeps at most 512 idle connections over all origins', async () => {
  const { port, countOpen } = await keepAliveServer();
  const { send } = sender({ resolveHost: resolveToLoopback });
  const sendToHosts = async (first: number, last: number): Promise<void> => {
    for (let host = first; host <= last; host += 1) {
      const outcome = await send(request(`http://receiver-${host}.example:${port}/`));
      expect(resultOf(outcome).status).toBe(200);
    }
  };
  await sendToHosts(1, 512);
  expect(await countOpen()).toBe(512);
  await sendToHosts(513, 600);
  // One more than 512: while host 513 is sent to, only 511 of the first 512 connections count as idle.
  await expect.poll(countOpen).toBe(513);
}, 60_000);

it('the next attempts use the connections of 400 responses that arrive together', async () => {
  const COUNT = 400;
  let waiting: ServerResponse[] = [];
  const { url, opened } = await keepAliveServer((res) => {
    waiting.push(res);
    if (waiting.length < COUNT) return;
    for (const response of waiting) response.end();
    waiting = [];
  });
  const { send } = sender();
  const sendThrice = async (): Promise<void> => {
    for (let i = 0; i < 3; i += 1) {
      expect(resultOf(await send(request(url))).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: COUNT }, sendThrice));
  expect(opened()).toBe(COUNT);
});

it('a connection is replaced after five minutes even if it is never idle for long', async () => {
  const advance = stopPerformanceClock();
  const { url, opened, countOpen } = await keepAliveServer();
  const { send } = sender();
  const openedAfter = async (ms: number): Promise<number> => {
    advance(ms);
    expect(await send(request(url))).toMatchObject({ status: 200, error: null });
    return opened();
  };
  expect(await openedAfter(0)).toBe(1);
  for (let minute = 1; minute <= 5; minute += 1) expect(await openedAfter(60_000)).toBe(1);
  expect(await openedAfter(1)).toBe(2);
  for (let time = 0; time < 5; time += 1) expect(await openedAfter(0)).toBe(2);
  await expect.poll(countOpen).toBe(1);
});

it('idle connections stay open when another connection to the receiver is reset', async () => {
  const sockets = new Set<Socket>();
  const { url, opened } = await keepAliveServer((res) => {
    sockets.add(res.req.socket);
    res.end();
  });
  const { send } = sender();
  await send(request(url));
  for (let i = 0; i < 5; i += 1) {
    const outcomes = [send(request(url)), send(request(url))];
    const [oldest] = sockets;
    oldest?.resetAndDestroy();
    if (oldest !== undefined) sockets.delete(oldest);
    await Promise.all(outcomes);
  }
  const openedBefore = opened();
  for (let i = 0; i < 20; i += 1) await send(request(url));
  expect(opened()).toBe(openedBefore);
});

it('the transport keeps at most 1,024 pools', async () => {
  const { port, countOpen } = await keepAliveServer((res) => {
    res.setHeader('connection', 'close');
    res.end();
  });
  const connect = vi.fn<Connector>((target, callback) => {
    const socket = net.connect({ host: '127.0.0.1', port }, () => callback(null, socket));
    target.connection.connectBy(socket);
  });
  const transport = new PoolTransport(connect, () => 0);
  const dispatch = (origin: string) =>
    new Promise<void>((resolve, reject) =>
      transport.dispatch(
        { origin, path: '/', method: 'POST', connection: new RequestConnection(1) },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData() {},
          onResponseEnd: () => resolve(),
          onResponseError: (_, error) => reject(error),
        },
      ),
    );
  for (let i = 0; i < 1_100; i += 1) await dispatch(`http://r${i}.test`);
  await expect.poll(countOpen).toBe(0);
  const close = vi.spyOn(Pool.prototype, 'close');
  onTestFinished(() => close.mockRestore());
  await transport.close();
  expect(new Set(close.mock.contexts).size).toBe(1_024);
}, 60_000);

it('an idle connection keeps no sent body in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const { url } = await keepAliveServer();
  const { send } = sender();
  const sendOne = async (): Promise<WeakRef<SendRequest>> => {
    const sentRequest = request(url);
    expect(resultOf(await send(sentRequest)).status).toBe(200);
    return new WeakRef(sentRequest);
  };
  const weakRequest = await sendOne();
  await expect
    .poll(
      () => {
        collectGarbage();
        // A failing `expect` on the request would itself keep the request in memory.
        return weakRequest.deref() === undefined;
      },
      // Ends before the idle connection is closed.
      { timeout: 10_000 },
    )
    .toBe(true);
});
