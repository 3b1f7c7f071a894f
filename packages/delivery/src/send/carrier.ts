import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { AccountId } from '@latchhook/core';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { undici } from './undici.ts';

/** The connection of one request. undici uses a kept connection or calls the connector for a new one. */
export class ConnectionUse {
  /** The owner of the webhook. */
  readonly accountId: AccountId;
  /** `false`: a kept connection, which the receiver may have closed while it was idle. */
  isNew = false;
  #wire: Socket | undefined;
  #abandoned: Error | undefined;

  constructor(accountId: AccountId) {
    this.accountId = accountId;
  }

  /** Called when a new connection is opened over this socket. */
  connectBy(wire: Socket): void {
    this.isNew = true;
    this.#wire = wire;
    if (this.#abandoned !== undefined) wire.destroy(this.#abandoned);
  }

  /** Closes the connection that is being opened for a request that has ended. undici itself would go on connecting. */
  abandon(reason: Error): void {
    this.#abandoned = reason;
    this.#wire?.destroy(reason);
  }
}

/** A request with its connection. */
export interface CarriedRequest extends Dispatcher.DispatchOptions {
  readonly use: ConnectionUse;
}

/** Sends requests to receivers. */
export interface Carrier {
  dispatch(request: CarriedRequest, handler: Dispatcher.DispatchHandler): void;
  /**
   * Sends a request over a new connection. `null`: a dispatcher of the host decides itself whether to repeat a request.
   */
  readonly dispatchAnew: Carrier['dispatch'] | null;
  /** Closes all connections. Call it when no request is in flight. */
  close(): Promise<void>;
}

/** Where to connect to, and for which request. */
export interface ConnectTarget extends buildConnector.Options {
  readonly use: ConnectionUse;
}

export type Connector = (target: ConnectTarget, callback: buildConnector.Callback) => void;

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

const CLIENT_OPTIONS = {
  // The default of Node.js, even if the app was started with another `--max-http-header-size`.
  maxHeaderSize: 16_384,
  // The longest time for which an idle socket is kept where the receiver sends `Keep-Alive`. Without it undici keeps it
  // for less.
  keepAliveMaxTimeout: 30_000,
} as const;

/** Creates an undici client whose connector knows for which request it connects. */
function attemptClient(origin: URL | string, connect: Connector): Client {
  let current: ConnectionUse | null = null;
  // Defined here because undici is loaded lazily.
  class AttemptClient extends undici.get().Client {
    override dispatch(request: CarriedRequest, handler: Dispatcher.DispatchHandler): boolean {
      current = request.use;
      super.dispatch(request, handler);
      // `false` marks the client as busy until its `drain` event. If the handler rejected the request, undici would
      // report the client as free before that event: of two requests dispatched in between, one would wait for the
      // response to the other.
      return false;
    }
  }
  return new AttemptClient(origin, {
    ...CLIENT_OPTIONS,
    connect(target, callback) {
      if (current === null) callback(new Error('no request asked for it'), null);
      else connect({ ...target, use: current }, callback);
    },
  });
}

/**
 * Keeps an undici `Pool` for each origin, with a connection for each request in flight, so that no request waits for
 * another. undici's `Agent` does not fit: beyond `maxOrigins` it rejects new origins rather than close the oldest, and
 * it measures the age of a connection (`clientTtl`) with a clock that is not monotonic.
 */
export class PoolCarrier implements Carrier {
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

  dispatch(request: CarriedRequest, handler: Dispatcher.DispatchHandler): void {
    const reset = this.#connected - this.#countInFlight() >= MAX_IDLE;
    const pool = this.#poolTo(String(request.origin));
    pool.dispatch(reset ? { ...request, reset } : request, handler);
  }

  readonly dispatchAnew: Carrier['dispatch'] = (request, handler) => {
    const client = attemptClient(String(request.origin), this.#connect);
    client.dispatch({ ...request, reset: true }, handler);
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

/** Sends over a dispatcher of the host, which opens and keeps the connections. */
export function dispatcherCarrier(dispatcher: Dispatcher): Carrier {
  return {
    dispatch: (request, handler) => void dispatcher.dispatch(request, handler),
    dispatchAnew: null,
    async close() {},
  };
}
