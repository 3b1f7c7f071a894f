import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TimedSecurityEvent } from '@latchhook/core';
import { vi } from 'vitest';
import { startTestApp, type TestApp } from '../apps/test-app.ts';
import { seededRandom } from '../storage/seeded-random.ts';

/**
 * The faults of a request for tokens: its response comes late, its response is lost, it never reaches the server, or
 * the server is busy (503).
 */
const FAULTS = ['late', 'lost', 'unsent', 'busy'] as const;
const MAX_FAULTS = 4;
const MAX_DELAY_MS = 5000;

/**
 * A network that loses and delays requests and responses, at random by a seed. It needs fake timers: whenever client
 * and server are idle, it advances their time.
 */
export interface FaultyNetwork {
  readonly fetch: typeof globalThis.fetch;
  readonly random: () => number;
  /** Causes faults for the next requests for tokens. */
  disturb(): void;
  /** Ends all faults. */
  calm(): void;
  /** Resolves once a request for tokens was sent after `disturb`. */
  whenAsked(): Promise<void>;
  /** Replaces the server by another on the same data. Pending requests to the old server get no response. */
  restart(): Promise<void>;
  /** Waits for `work`, and advances the time while it waits. */
  settle<Result>(work: Promise<Result>): Promise<Result>;
  pass(ms: number): void;
  passOnServer(ms: number): void;
  events(): readonly TimedSecurityEvent[];
  /** The number of occurrences of each fault. */
  readonly tally: ReadonlyMap<string, number>;
  stop(): void;
}

export async function startFaultyNetwork(seed: number): Promise<FaultyNetwork> {
  const random = seededRandom(seed);
  const tally = new Map<string, number>();
  const count = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
  const cell = { framework: 'express', storage: 'memory' } as const;
  const auth = { cookies: true };
  const apps: [TestApp, ...TestApp[]] = [await startTestApp(cell, { auth })];
  // The storage in memory outlives its server.
  const storage = apps[0].cellStorage.storage;
  let faultsLeft = 0;
  let wasAsked = false;
  let onTheWay = 0;

  function nextFate(path: string): (typeof FAULTS)[number] | 'answered' {
    if (path !== '/token') return 'answered';
    wasAsked = true;
    if (faultsLeft === 0) return 'answered';
    faultsLeft -= 1;
    const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? 'lost';
    count(fault);
    return fault;
  }

  async function exchange(path: string, init: RequestInit | undefined): Promise<Response> {
    onTheWay += 1;
    try {
      const response = await fetch(`${apps[0].url}${path}`, init);
      const { status, headers } = response;
      return new Response(await response.arrayBuffer(), { status, headers });
    } finally {
      onTheWay -= 1;
    }
  }

  const delay = (): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, random() * MAX_DELAY_MS));

  return {
    async fetch(input, init) {
      const { pathname } = new URL(String(input));
      const fate = nextFate(pathname);
      if (fate === 'busy') return busy(Math.ceil(random() * 3));
      const [server] = apps;
      const response = fate === 'unsent' ? undefined : await exchange(pathname, init);
      if (fate !== 'answered') await delay();
      const cut = server !== apps[0];
      if (cut) count('cut');
      if (response === undefined || fate === 'lost' || cut) throw new TypeError('fetch failed');
      return response;
    },
    random,
    disturb() {
      faultsLeft = MAX_FAULTS;
      wasAsked = false;
    },
    calm() {
      faultsLeft = 0;
    },
    async whenAsked() {
      while (!wasAsked) await nextTurn();
    },
    async restart() {
      const [before] = apps;
      apps.unshift(
        await startTestApp(cell, { auth, sharedWith: before, wrapStorage: () => storage }),
      );
      before.stop();
    },
    async settle(work) {
      let done = false;
      const settled = work.finally(() => {
        done = true;
      });
      while (!done) {
        for (let turn = 0; turn < 3; turn += 1) await nextTurn();
        if (onTheWay > 0 || done) continue;
        // `performance` is faked too: the clock of the server follows the timers of the client.
        const beforeMs = performance.now();
        vi.advanceTimersToNextTimer();
        apps[0].clock.advance(performance.now() - beforeMs);
      }
      return settled;
    },
    pass(ms) {
      vi.advanceTimersByTime(ms);
      apps[0].clock.advance(ms);
    },
    passOnServer(ms) {
      apps[0].clock.advance(ms);
    },
    events: () => apps.flatMap((app) => app.events).sort((a, b) => a.atMs - b.atMs),
    tally,
    stop: () => apps[0].stop(),
  };
}

function busy(seconds: number): Response {
  return Response.json(
    { error: 'temporarily_unavailable' },
    { status: 503, headers: { 'retry-after': String(seconds) } },
  );
}
