import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { AccountId } from '@latchhook/core';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { undici } from './undici.ts';

/** What a request needs a connection for: undici takes a kept one, unless it has a new one made. */
export class ConnectionUse {
  /** Whose webhook is sent to. */
  readonly accountId: AccountId;
  /** `false`: the receiver may have closed it meanwhile. */
  isNew = false;
  #wire: Socket | undefined;
  #abandoned: Error | undefined;

  constructor(accountId: AccountId) {
    this.accountId = accountId;
  }

  /** A connection is begun over this socket. */
  connectBy(wire: Socket): void {
    this.isNew = true;
    this.#wire = wire;
    if (this.#abandoned !== undefined) wire.destroy(this.#abandoned);
  }

  /** Nobody waits for it any more. undici itself goes on with what it has begun. */
  abandon(reason: Error): void {
    this.#abandoned = reason;
    this.#wire?.destroy(reason);
  }
}

/** A request, and the use that it makes of a connection. */
export interface CarriedRequest extends Dispatcher.DispatchOptions {
  readonly use: ConnectionUse;
}

/** Carries requests to receivers. */
export interface Carrier {
  dispatch(request: CarriedRequest, handler: Dispatcher.DispatchHandler): void;
  /** Over a new connection. `null`: whether to repeat is up to a dispatcher of the host. */
  readonly dispatchAnew: Carrier['dispatch'] | null;
  /** Closes all connections. Call it when no request is in flight. */
  close(): Promise<void>;
}

/** What a connection is made to, and what for. */
export interface ConnectTarget extends buildConnector.Options {
  readonly use: ConnectionUse;
}

export type Connector = (target: ConnectTarget, callback: buildConnector.Callback) => void;

/**
 * How old a pool may be. A connection that is busy never idles for long, and would stay at an address that the name may
 * have lost meanwhile, unseen by the guard.
 */
const MAX_AGE_MS = 300_000;
/** More pools are not kept. */
const MAX_POOLS = 1_024;
/** More idle sockets are not kept: who changes the URL of a webhook before each attempt would open thousands. */
const MAX_IDLE = 512;

const CLIENT_OPTIONS = {
  // Node's own default, even if the app was started with another `--max-http-header-size`.
  maxHeaderSize: 16_384,
  // The longest that a socket is kept idle if the receiver promises to. Without a promise undici keeps it for less.
  keepAliveMaxTimeout: 30_000,
} as const;

/** Makes a client of undici whose connector knows which request the connection is for. */
function attemptClient(origin: URL | string, connect: Connector): Client {
  let current: ConnectionUse | null = null;
  // Made here, as undici may not have been loaded before.
  class AttemptClient extends undici.get().Client {
    override dispatch(request: CarriedRequest, handler: Dispatcher.DispatchHandler): boolean {
      current = request.use;
      super.dispatch(request, handler);
      // Busy until it says that it has drained. undici says that it is free at once where the handler has refused to
      // begin, and drains later: of two requests that it was given meanwhile, one would wait for the other's answer.
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
 * Keeps connections by a `Pool` of undici for each origin: one for each request in flight, so that none waits behind
 * others. Not by undici's `Agent`: it rejects origins that are too many (`maxOrigins`) rather than close the oldest,
 * and knows how old a connection is by the clock of the day alone (`clientTtl`).
 */
export class PoolCarrier implements Carrier {
  readonly #connect: Connector;
  readonly #countInFlight: () => number;
  /** The one that was opened first is first. */
  readonly #pools = new Map<string, { readonly pool: Pool; readonly openedAtMs: number }>();
  #connected = 0;

  /** @param countInFlight - how many requests are in flight */
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
    const kept = this.#pools.get(origin);
    if (kept !== undefined && nowMs - kept.openedAtMs <= MAX_AGE_MS) return kept.pool;
    const factory = (origin: URL) => attemptClient(origin, this.#connect);
    // Of `connect`, undici would make a connector, though the clients have theirs.
    const pool = new (undici.get().Pool)(origin, { factory, connect() {} });
    pool.on('connect', () => {
      this.#connected += 1;
    });
    pool.on('disconnect', () => {
      this.#connected -= 1;
    });
    for (const [first, { pool, openedAtMs }] of this.#pools) {
      if (this.#pools.size < MAX_POOLS && nowMs - openedAtMs <= MAX_AGE_MS) break;
      this.#pools.delete(first);
      // Its requests end before, and its connections with them.
      void pool.close();
    }
    this.#pools.set(origin, { pool, openedAtMs: nowMs });
    return pool;
  }
}

/** Leaves it to a dispatcher of the host to make connections and to keep them. */
export function dispatcherCarrier(dispatcher: Dispatcher): Carrier {
  return {
    dispatch: (request, handler) => void dispatcher.dispatch(request, handler),
    dispatchAnew: null,
    async close() {},
  };
}
