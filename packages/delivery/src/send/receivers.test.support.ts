import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { performance } from 'node:perf_hooks';
import { onTestFinished, vi } from 'vitest';
import { createSender, type SenderOptions } from './create-sender.ts';
import type { SendResult } from './send-result.ts';
import type { SendOutcome, SendRequest } from './sender.ts';
import { undici } from './undici.ts';

await undici.load();

/** Creates a sender that may send to this machine, and is closed at the end of the test. */
export function sender(options: Partial<SenderOptions> = {}) {
  const rules = { allowHttp: true, allowPrivateAddresses: true, allowedPorts: 'any' } as const;
  const newSender = createSender({ ...rules, timeoutMs: 15_000, ...options });
  onTestFinished(() => newSender.close());
  return newSender;
}

/** Stops the clock of attempts and connections until the test ends. Returns a function that advances the clock. */
export function stopPerformanceClock(): (ms: number) => void {
  // An integer, so that sums are exact.
  let nowMs = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  return (ms) => {
    nowMs += ms;
  };
}

/** Blocks this process, like a machine that is busy with other work. */
export function blockProcess(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

export const always = (): boolean => true;

/** The request of an attempt that may begin at any time. */
export function request(url: string, accountId = 1): SendRequest {
  return {
    accountId,
    url,
    deliveryId: 'msg_1',
    body: '{"name":"Zoë"}',
    secrets: [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)],
    timestampMs: 1_700_000_000_999,
    mayBegin: always,
  };
}

/** Throws if the attempt was too late to begin. */
export function resultOf(outcome: SendOutcome): SendResult {
  if (outcome === 'too_late') throw new Error('it was too late to begin');
  return outcome;
}

/** @returns the URL of the server */
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts an HTTP receiver, which is closed at the end of the test. */
export async function httpServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

/** Starts a TCP receiver. `answer` writes the bytes of each response. Requests are counted over all connections. */
export async function tcpServer(answer: (socket: Socket, count: number) => unknown) {
  let count = 0;
  let onClose = (): void => {};
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', onClose);
    socket.on('data', () => {
      count++;
      answer(socket, count);
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const connections = (): number => sockets.size;
  return { url: await listen(server), requests: () => count, connections, closed };
}
