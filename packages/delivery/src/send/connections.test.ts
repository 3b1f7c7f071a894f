import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemTimers } from '@latchhook/core/delivery';
import { buildConnector, errors } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import type { Connection } from './connection.ts';
import { createConnections } from './connections.ts';
import type { Connector } from './connector.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import { Exchange, type ExchangeOwner } from './exchange.ts';
import { always, emptyRequest, resultOf, stopPerformanceClock } from './receivers.test.support.ts';
import { sendSigned } from './send-signed.ts';

const TIMES = { mayBegin: always, timestampMs: 0, timeoutMs: 60_000, timers: systemTimers };
/** Longer than the tests take: no connection ends for want of use. */
const KEPT_MS = 60_000;

it('keeps a bounded number of connections, to however many origins they lead', async () => {
  const server = createServer((_req, res) => res.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.keepAliveTimeout = KEPT_MS;
  const port = String((server.address() as AddressInfo).port);
  // Whatever the name, it is this server that answers.
  const connect = buildConnector({});
  const connections = createConnections((target, callback) =>
    connect({ ...target, hostname: '127.0.0.1', port }, callback),
  );
  onTestFinished(async () => {
    await connections.close();
    server.close();
  });

  for (let host = 1; host <= 400; host++) {
    const request = emptyRequest(`http://receiver-${host}.example/`);
    const sent = await sendSigned(connections, request, TIMES);
    expect(resultOf(sent).status).toBe(200);
  }
  await expect
    .poll(() => promisify(server.getConnections.bind(server))())
    .toSatisfy((count) => Number(count) > 200 && Number(count) <= 260);
});

it('opens no further one where hundreds of answers come together, and as many are sent after them', async () => {
  const AT_ONCE = 400;
  let opened = 0;
  let waiting: ServerResponse[] = [];
  const server = createServer((_req, res) => {
    waiting.push(res);
    if (waiting.length < AT_ONCE) return;
    for (const each of waiting) each.end();
    waiting = [];
  });
  server.keepAliveTimeout = KEPT_MS;
  server.on('connection', () => {
    opened += 1;
  });
  // With room for all that connect at once.
  server.listen({ port: 0, host: '127.0.0.1', backlog: AT_ONCE });
  await once(server, 'listening');
  const connections = createConnections(buildConnector({}));
  onTestFinished(async () => {
    await connections.close();
    server.close();
  });

  const { port } = server.address() as AddressInfo;
  const request = emptyRequest(`http://127.0.0.1:${port}/`);
  const sendThrice = async (): Promise<void> => {
    for (let nth = 0; nth < 3; nth += 1) {
      const sent = await sendSigned(connections, request, TIMES);
      expect(resultOf(sent).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendThrice));
  expect(opened).toBe(AT_ONCE);
});

it('gives a connection up after five minutes, however busy it is', async () => {
  const advance = stopPerformanceClock();
  let opened = 0;
  const server = createServer((_req, res) => res.end()).listen(0, '127.0.0.1');
  server.keepAliveTimeout = KEPT_MS;
  server.on('connection', () => {
    opened += 1;
  });
  await once(server, 'listening');
  const connections = createConnections(buildConnector({}));
  onTestFinished(async () => {
    await connections.close();
    server.close();
  });

  const { port } = server.address() as AddressInfo;
  const request = emptyRequest(`http://127.0.0.1:${port}/`);
  const openedAfter = async (ms: number): Promise<number> => {
    advance(ms);
    const result = await sendSigned(connections, request, TIMES);
    expect(result).toMatchObject({ status: 200, error: null });
    return opened;
  };
  for (let minute = 0; minute <= 5; minute += 1) expect(await openedAfter(60_000)).toBe(1);
  // The answer that came when it was too old was its last.
  expect(await openedAfter(1)).toBe(1);
  expect(await openedAfter(0)).toBe(2);
  expect(await openedAfter(0)).toBe(2);
});

it('takes the one that was released last, whose receiver is the least likely to have closed it', () => {
  const connections = createConnections(buildConnector({}));
  const [first, last] = Array.from({ length: 2 }, () => connections.open('http://127.0.0.1:1'));
  for (const each of [first, last]) each?.release();
  expect(connections.acquire('http://127.0.0.1:1')).toBe(last);
  expect(connections.acquire('http://127.0.0.1:1')).toBe(first);
  return connections.close();
});

/** Connects to nothing, so that only what was ended before differs. */
const refuse: Connector = (_target, callback) => callback(new Error('refused'), null);

/** Whether a connection takes no exchange any more. */
function isEnded(connection: Connection): Promise<boolean> {
  return new Promise((resolve) => {
    const owner: ExchangeOwner = {
      mayBegin: always,
      nowMs: () => 0,
      ended: ({ error }) => resolve(error instanceof errors.ClientDestroyedError),
    };
    connection.dispatch(emptyRequest(connection.origin), new Exchange(owner));
  });
}

it('ends those that have been idle longest where it keeps too many, and none that is in use', async () => {
  const connections = createConnections(refuse);
  const inUse = connections.open('http://127.0.0.1:1');
  inUse.release();
  expect(connections.acquire('http://127.0.0.1:1')).toBe(inUse);
  const idle = Array.from({ length: 258 }, (_, nth) => {
    const connection = connections.open(`http://127.0.0.1:${2 + nth}`);
    connection.release();
    return connection;
  });
  // Trimmed in the next turn.
  for (const _ of ['this', 'next']) await new Promise<void>(atEndOfTurn);
  expect(await Promise.all(idle.map(isEnded))).toEqual(idle.map((_, nth) => nth < 2));
  expect(await isEnded(inUse)).toBe(false);
  await connections.close();
});

it('keeps an origin that is used all the time, however long ago it was used first', async () => {
  const connections = createConnections(refuse);
  const open = (nth: number) => {
    const connection = connections.open(`http://127.0.0.1:${nth}`);
    connection.release();
    return connection;
  };
  const [one, other] = [connections.open('http://127.0.0.1:1'), open(1)];
  const idle = Array.from({ length: 255 }, (_, nth) => open(2 + nth));
  one.release();
  for (const _ of ['this', 'next']) await new Promise<void>(atEndOfTurn);
  const areEnded = await Promise.all([one, other, ...idle].map(isEnded));
  expect(areEnded).toEqual([false, false, true, ...idle.slice(1).map(() => false)]);
  await connections.close();
});

it('ends what it does not keep', async () => {
  const advance = stopPerformanceClock();
  const connections = createConnections(refuse);
  const young = connections.open('http://127.0.0.1:1');
  const old = connections.open('http://127.0.0.1:2');
  advance(300_000);
  young.release();
  advance(1);
  old.release();
  expect(await isEnded(young)).toBe(false);
  expect(await isEnded(old)).toBe(true);
  await connections.close();
});

it('keeps nothing of what was sent while a connection is idle', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const server = createServer((_req, res) => res.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.keepAliveTimeout = KEPT_MS;
  const connections = createConnections(buildConnector({}));
  onTestFinished(async () => {
    await connections.close();
    server.close();
  });

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const send = async (): Promise<WeakRef<Uint8Array>> => {
    const bytes = Buffer.allocUnsafeSlow(100_000);
    const sent = await sendSigned(connections, { ...emptyRequest(url), bytes }, TIMES);
    expect(resultOf(sent).status).toBe(200);
    return new WeakRef(bytes);
  };
  const sent = await send();
  await expect
    .poll(
      () => {
        collectGarbage();
        // A failing `expect` would itself keep the bytes.
        return sent.deref() === undefined;
      },
      // Less than it takes for the connection to end.
      { timeout: 10_000 },
    )
    .toBe(true);
});
