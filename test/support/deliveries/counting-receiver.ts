import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as elapsed } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { PATIENT_MS } from '../time/patience.ts';

/** A receiver for thousands of deliveries a second, which records only the times of arrival. */
export interface CountingReceiver {
  readonly url: string;
  /** The times of arrival of each delivery by `webhook-id`, ms by this process's clock. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
  /** All arrivals, in order. */
  times(): readonly number[];
  /** Responds to all waiting requests, and from then on to each request immediately. */
  answer(): void;
  /** Waits until `count` different deliveries have arrived. @throws {Error} after `timeoutMs` */
  untilDistinct(count: number, timeoutMs?: number): Promise<void>;
  /** Waits until `count` requests have arrived, repeats included. @throws {Error} after `timeoutMs` */
  untilArrivals(count: number, timeoutMs?: number): Promise<void>;
}

export interface CountingReceiverOptions {
  /** The delay of a response, ms. Default: 0. `Infinity`: until `answer` is called. */
  readonly answerAfterMs?: number;
}

/** Starts a receiver on loopback, until the end of the test. It responds with 204. */
export async function startCountingReceiver({
  answerAfterMs = 0,
}: CountingReceiverOptions = {}): Promise<CountingReceiver> {
  const arrivals = new Map<string, number[]>();
  const times: number[] = [];
  let pauseMs = answerAfterMs;
  let unanswered: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    const nowMs = performance.timeOrigin + performance.now();
    times.push(nowMs);
    arrivals.set(id, [...(arrivals.get(id) ?? []), nowMs]);
    request.resume().on('end', () => {
      if (pauseMs === 0) response.writeHead(204).end();
      else if (Number.isFinite(pauseMs)) setTimeout(() => response.writeHead(204).end(), pauseMs);
      else unanswered.push(response);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    arrivals,
    times: () => times,
    answer() {
      pauseMs = 0;
      for (const response of unanswered) response.writeHead(204).end();
      unanswered = [];
    },
    untilDistinct: (count, timeoutMs) => reached(count, () => arrivals.size, timeoutMs),
    untilArrivals: (count, timeoutMs) => reached(count, () => times.length, timeoutMs),
  };
}

async function reached(
  count: number,
  arrived: () => number,
  timeoutMs: number = PATIENT_MS,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (arrived() < count) {
    if (performance.now() > deadlineMs) {
      throw new Error(`${arrived()} of ${count} arrived within ${timeoutMs} ms`);
    }
    await elapsed(20);
  }
}

/** The largest number of events in a window of `windowMs`, whose end is excluded. */
export function busiestWindow(times: readonly number[], windowMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, timeMs] of times.entries()) {
    while (timeMs - (times[first] ?? timeMs) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
