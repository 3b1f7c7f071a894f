import type { Socket } from 'node:net';
import { setTimeout as setRealTimeout } from 'node:timers';
import { Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  blockProcess,
  request,
  resultOf,
  sender,
  stopPerformanceClock,
  tcpServer,
} from './receivers.test.support.ts';

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';

/** Counts intervals of 10 ms while this process runs. Returns a function that stops the count and returns it. */
function countTicks(): () => number {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 10);
  return () => {
    clearInterval(timer);
    return ticks;
  };
}

/** Writes `beginning`, and then one byte every 20 ms. */
function trickle(socket: Socket, beginning: string): void {
  socket.write(beginning);
  const timer = setInterval(() => socket.write('x'), 20);
  socket.once('close', () => clearInterval(timer));
}

describe('createSender and a receiver that fails', () => {
  it.each([
    ['that never responds', () => {}, null],
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
  ])('times out for a receiver %s', async (_, answer, status) => {
    const { url, closed } = await tcpServer(answer);
    const ticks = countTicks();
    const result = resultOf(await sender({ timeoutMs: 150 }).send(request(url)));
    expect(ticks()).toBeLessThan(100);
    expect(result).toMatchObject({ status, error: 'timeout' });
    expect(result.durationMs).toBeGreaterThan(140);
    await closed;
  });

  it('accepts a response that arrived while the process was blocked', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await tcpServer((socket) => {
      socket.write(NO_CONTENT);
      // The timeout is due when the process continues: the event loop runs timers before it reads sockets.
      setRealTimeout(() => vi.advanceTimersByTime(150), 1);
      blockProcess(20);
    });
    const result = await sender({ timeoutMs: 150 }).send(request(url));
    expect(result).toMatchObject({ status: 204, error: null });
  });

  it('times out during a TLS handshake that the receiver does not answer', async () => {
    const { url } = await tcpServer(() => {});
    const { send } = sender({ timeoutMs: 100 });
    const ticks = countTicks();
    const result = await send(request(url.replace('http:', 'https:')));
    expect(ticks()).toBeLessThan(100);
    expect(result).toMatchObject({ status: null, error: 'timeout' });
  });

  it('times out if the dispatcher never starts the request', async () => {
    class Idle extends Dispatcher {
      override dispatch(): boolean {
        return true;
      }
    }
    const { send } = sender({ timeoutMs: 50, dispatcher: new Idle() });
    expect(await send(request('http://127.0.0.1'))).toMatchObject({ error: 'timeout' });
  });

  it.each([
    ['a response that is not HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['headers of 1 MiB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1 << 20)}\r\n\r\n`],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n',
    ],
    ['an unrequested 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n'],
  ])('returns invalid_answer for %s', async (_, bytes) => {
    const { url } = await tcpServer((socket) => socket.write(bytes));
    expect(await sender().send(request(url))).toMatchObject({
      status: null,
      error: 'invalid_answer',
    });
  });

  it.each([
    ['before the response', '', null],
    ['within the headers', 'HTTP/1.1 200 OK\r\nX: y', null],
    ['within the content', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx', 200],
    ['within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nx', 200],
  ])('returns connection_reset if the connection ends %s', async (_, bytes, status) => {
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

  it('repeats a request if a kept-alive connection ends before the response', async () => {
    const { url, requests } = await tcpServer((socket, count) => {
      if (count === 2) socket.resetAndDestroy();
      else socket.write(NO_CONTENT);
    });
    const { send } = sender();
    await send(request(url));
    const mayBegin = vi.fn(() => true);
    expect(await send({ ...request(url), mayBegin })).toMatchObject({ status: 204, error: null });
    expect(requests()).toBe(3);
    // The repeat of a request needs no second permission.
    expect(mayBegin).toHaveBeenCalledTimes(1);
  });

  it('does not repeat a request if its kept-alive connection ends a second later', async () => {
    const advance = stopPerformanceClock();
    const { url, requests } = await tcpServer((socket, count) => {
      if (count === 1) {
        socket.write(NO_CONTENT);
      } else {
        advance(1_000);
        socket.resetAndDestroy();
      }
    });
    const { send } = sender();
    await send(request(url));
    expect(await send(request(url))).toMatchObject({ status: null, error: 'connection_reset' });
    expect(requests()).toBe(2);
  });

  it('reads a valid response after thousands with an invalid status', async () => {
    const { url } = await tcpServer((socket, count) =>
      socket.write(count > 3_000 ? NO_CONTENT : 'HTTP/1.1 099 None\r\nContent-Length: 0\r\n\r\n'),
    );
    const { send } = sender();
    for (let i = 0; i < 3_000; i += 1) await send(request(url));
    expect(await send(request(url))).toMatchObject({ status: 204, error: null });
  });

  it('does not repeat a request after an unreadable response', async () => {
    const { url, requests } = await tcpServer((socket, count) => {
      if (count === 1) socket.write(NO_CONTENT);
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx');
    });
    const { send } = sender();
    await send(request(url));
    expect(await send(request(url))).toMatchObject({ status: null, error: 'invalid_answer' });
    expect(requests()).toBe(2);
  });

  it('repeats a request once at most', async () => {
    const { url, requests } = await tcpServer((socket, count) => {
      if (count === 1) socket.write(NO_CONTENT);
      else socket.end();
    });
    const { send } = sender();
    await send(request(url));
    expect(await send(request(url))).toMatchObject({ status: null, error: 'connection_reset' });
    expect(requests()).toBe(3);
  });
});
