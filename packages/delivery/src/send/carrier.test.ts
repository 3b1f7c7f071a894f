import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Pool } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ConnectionUse, type Connector, PoolCarrier } from './carrier.ts';
import { request, resultOf, sender, stopPerformanceClock } from './receivers.test.support.ts';
import type { ResolveHost } from './resolve-host.ts';
import type { SendRequest } from './sender.ts';

/** Longer than the tests take: no connection ends for want of use. */
const KEPT_MS = 60_000;

const here: ResolveHost = async () => [{ address: '127.0.0.1', family: 4 }];

/** A receiver that keeps connections, and counts them. */
async function keepingServer(answer: (res: ServerResponse) => void = (res) => void res.end()) {
  let opened = 0;
  const server = createServer((_req, res) => answer(res));
  server.keepAliveTimeout = KEPT_MS;
  server.on('connection', () => {
    opened += 1;
  });
  // With room for all that connect at once.
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

it('the carrier limits open connections over all origins', async () => {
  const { port, countOpen } = await keepingServer();
  const { send } = sender({ resolveHost: here });
  const sendToHosts = async (first: number, last: number): Promise<void> => {
    for (let host = first; host <= last; host += 1) {
      const sent = await send(request(`http://receiver-${host}.example:${port}/`));
      expect(resultOf(sent).status).toBe(200);
    }
  };
  await sendToHosts(1, 512);
  expect(await countOpen()).toBe(512);
  await sendToHosts(513, 600);
  await expect.poll(countOpen).toBe(513);
}, 60_000);

it('no further connection is opened when 400 responses arrive together', async () => {
  const AT_ONCE = 400;
  let waiting: ServerResponse[] = [];
  const { url, opened } = await keepingServer((res) => {
    waiting.push(res);
    if (waiting.length < AT_ONCE) return;
    for (const each of waiting) each.end();
    waiting = [];
  });
  const { send } = sender();
  const sendThrice = async (): Promise<void> => {
    for (let i = 0; i < 3; i += 1) {
      expect(resultOf(await send(request(url))).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendThrice));
  expect(opened()).toBe(AT_ONCE);
});

it('a connection is closed after five minutes even if it is busy', async () => {
  const advance = stopPerformanceClock();
  const { url, opened, countOpen } = await keepingServer();
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

it('connections to a receiver stay open when one ends while another is made', async () => {
  const sockets = new Set<Socket>();
  const { url, opened } = await keepingServer((res) => {
    sockets.add(res.req.socket);
    res.end();
  });
  const { send } = sender();
  await send(request(url));
  for (let i = 0; i < 5; i += 1) {
    const both = [send(request(url)), send(request(url))];
    const [oldest] = sockets;
    oldest?.resetAndDestroy();
    if (oldest !== undefined) sockets.delete(oldest);
    await Promise.all(both);
  }
  const before = opened();
  for (let i = 0; i < 20; i += 1) await send(request(url));
  expect(opened()).toBe(before);
});

it('the carrier limits the number of pools', async () => {
  const { port, countOpen } = await keepingServer((res) => {
    res.setHeader('connection', 'close');
    res.end();
  });
  const connect = vi.fn<Connector>((target, callback) => {
    const socket = net.connect({ host: '127.0.0.1', port }, () => callback(null, socket));
    target.use.connectBy(socket);
  });
  const carrier = new PoolCarrier(connect, () => 0);
  const dispatch = (origin: string) =>
    new Promise<void>((resolve, reject) =>
      carrier.dispatch(
        { origin, path: '/', method: 'POST', use: new ConnectionUse(1) },
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
  await carrier.close();
  expect(new Set(close.mock.contexts).size).toBe(1_024);
}, 60_000);

it('an idle connection keeps no sent body in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const { url } = await keepingServer();
  const { send } = sender();
  const sendOne = async (): Promise<WeakRef<SendRequest>> => {
    const made = request(url);
    expect(resultOf(await send(made)).status).toBe(200);
    return new WeakRef(made);
  };
  const sent = await sendOne();
  await expect
    .poll(
      () => {
        collectGarbage();
        // A failing `expect` would itself keep it.
        return sent.deref() === undefined;
      },
      // Less than it takes for the connection to end.
      { timeout: 10_000 },
    )
    .toBe(true);
});
