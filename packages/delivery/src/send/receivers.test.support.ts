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

/** A sender that may send here, closed with the test. */
export function sender(options: Partial<SenderOptions> = {}) {
  const rules = { allowHttp: true, allowPrivateAddresses: true, allowedPorts: 'any' } as const;
  const made = createSender({ ...rules, timeoutMs: 15_000, ...options });
  onTestFinished(() => made.close());
  return made;
}

/** Stops the clock that attempts and connections are measured by, until the test ends. Returns what advances it. */
export function stopPerformanceClock(): (ms: number) => void {
  // Whole, for sums of it to be exact.
  let nowMs = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  return (ms) => {
    nowMs += ms;
  };
}

export const always = (): boolean => true;

/** One that may begin whenever it does. */
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

/** How an attempt went that was not too late to begin. */
export function resultOf(sent: SendOutcome): SendResult {
  if (sent === 'too_late') throw new Error('it was too late to begin');
  return sent;
}

/** @returns where it listens. */
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A receiver that speaks HTTP, closed with the test. */
export async function httpServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

/** A server that has `answer` write to the socket by itself. Requests are counted over all connections. */
export async function tcpServer(answer: (socket: Socket, count: number) => unknown) {
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
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const connections = (): number => sockets.size;
  return { url: await listen(server), requests: () => count, connections, leaves };
}
