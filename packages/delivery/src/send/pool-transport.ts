import { performance } from 'node:perf_hooks';
import type { Dispatcher, Pool } from 'undici';
import { attemptClient, type Connector } from './attempt-client.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { undici } from './undici.ts';

/**
 * The longest life of a pool, ms. A busy connection never idles long enough to be closed, and would stay at an address
 * that the name may no longer have, without another check of the address.
 */
const MAX_AGE_MS = 300_000;
/** The largest number of pools. */
const MAX_POOLS = 1_024;
/**
 * The largest number of idle sockets. A client that changes the URL of its webhook before each attempt would otherwise
 * make this process keep thousands.
 */
const MAX_IDLE = 512;

/**
 * Keeps an undici `Pool` for each origin, with a connection for each request in flight, so that no request waits for
 * another. undici's `Agent` does not fit: beyond `maxOrigins` it rejects new origins rather than close the oldest, and
 * it measures the age of a connection (`clientTtl`) with a clock that is not monotonic.
 */
export class PoolTransport implements Transport {
  readonly #connect: Connector;
  readonly #countInFlight: () => number;
  /** By origin, oldest first. */
  readonly #pools = new Map<string, { readonly pool: Pool; readonly openedAtMs: number }>();
  #connected = 0;

  /** @param countInFlight - returns how many requests are in flight */
  constructor(connect: Connector, countInFlight: () => number) {
    this.#connect = connect;
    this.#countInFlight = countInFlight;
  }

  dispatch(request: TransportRequest, handler: Dispatcher.DispatchHandler): void {
    // `reset`: undici closes the connection after the response instead of keeping it.
    const reset = this.#connected - this.#countInFlight() >= MAX_IDLE;
    const pool = this.#poolTo(String(request.origin));
    pool.dispatch(reset ? { reset, ...request } : request, handler);
  }

  readonly dispatchOnNewConnection: Transport['dispatch'] = (request, handler) => {
    const client = attemptClient(String(request.origin), this.#connect);
    client.dispatch({ reset: true, ...request }, handler);
  };

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.close()));
  }

  #poolTo(origin: string): Pool {
    const nowMs = performance.now();
    const current = this.#pools.get(origin);
    if (current !== undefined && nowMs - current.openedAtMs <= MAX_AGE_MS) return current.pool;
    const factory = (origin: URL) => attemptClient(origin, this.#connect);
    // A `connect` function keeps undici from building a connector for the pool. Each client has its own.
    const pool = new (undici.get().Pool)(origin, { factory, connect() {} });
    pool.on('connect', () => {
      this.#connected += 1;
    });
    pool.on('disconnect', () => {
      this.#connected -= 1;
    });
    for (const [oldestOrigin, { pool, openedAtMs }] of this.#pools) {
      if (this.#pools.size < MAX_POOLS && nowMs - openedAtMs <= MAX_AGE_MS) break;
      this.#pools.delete(oldestOrigin);
      // `close` lets the requests in flight end, then closes the connections.
      void pool.close();
    }
    this.#pools.set(origin, { pool, openedAtMs: nowMs });
    return pool;
  }
}
