import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { systemTimers } from '@latchhook/core/delivery';
import { buildConnector } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createConnections } from './connections.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import { always, emptyRequest, resultOf } from './receivers.test.support.ts';
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
  vi.useFakeTimers({ toFake: ['performance'] });
  let opened = 0;
  const server = createServer((_req, res) => res.end()).listen(0, '127.0.0.1');
  server.keepAliveTimeout = KEPT_MS;
  server.on('connection', () => {
    opened += 1;
  });
  await once(server, 'listening');
  const connections = createConnections(buildConnector({}));
  onTestFinished(async () => {
    vi.useRealTimers();
    await connections.close();
    server.close();
  });

  const { port } = server.address() as AddressInfo;
  const request = emptyRequest(`http://127.0.0.1:${port}/`);
  const openedAfter = async (ms: number): Promise<number> => {
    vi.advanceTimersByTime(ms);
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
  for (const each of [first, last]) if (each !== undefined) connections.release(each);
  expect(connections.acquire('http://127.0.0.1:1')).toBe(last);
  expect(connections.acquire('http://127.0.0.1:1')).toBe(first);
  return connections.close();
});

it('ends those that have been idle longest where it keeps too many, and none that is in use', async () => {
  const connections = createConnections(buildConnector({}));
  const inUse = connections.open('http://127.0.0.1:1');
  const endInUse = vi.spyOn(inUse, 'destroy');
  connections.release(inUse);
  expect(connections.acquire('http://127.0.0.1:1')).toBe(inUse);
  const ends = Array.from({ length: 258 }, (_, nth) => {
    const connection = connections.open(`http://127.0.0.1:${2 + nth}`);
    const end = vi.spyOn(connection, 'destroy');
    connections.release(connection);
    return end;
  });
  // Trimmed in the next turn.
  for (const _ of ['this', 'next']) await new Promise<void>(atEndOfTurn);
  expect(ends.map((end) => end.mock.calls.length)).toEqual(ends.map((_, nth) => (nth < 2 ? 1 : 0)));
  expect(endInUse).not.toHaveBeenCalled();
  await connections.close();
});

it('ends what it does not keep', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const connections = createConnections(buildConnector({}));
  const [young, old] = [
    connections.open('http://127.0.0.1:1'),
    connections.open('http://127.0.0.1:2'),
  ];
  const [endYoung, endOld] = [vi.spyOn(young, 'destroy'), vi.spyOn(old, 'destroy')];
  vi.advanceTimersByTime(300_000);
  connections.release(young);
  vi.advanceTimersByTime(1);
  connections.release(old);
  expect(endYoung).not.toHaveBeenCalled();
  expect(endOld).toHaveBeenCalledOnce();
  return connections.close();
});
