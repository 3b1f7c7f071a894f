import { Client, type Dispatcher } from 'undici';
import type { Connector } from './connector.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import { meteredConnector } from './metered-connector.ts';

/** What requests are dispatched to. */
export interface Connection {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  /** Whether its present socket has been kept idle: the receiver may have closed it meanwhile. */
  idled: boolean;
  /**
   * Call before each dispatch, for a webhook of this account: the answer to it has bounds of its own. `contentBytes` tells
   * how much of its content has been read so far.
   */
  expectAnswer(accountId: number, contentBytes: () => number): void;
  /**
   * How long it took to connect since the last `expectAnswer`, ms; 0: it was connected. A dispatcher of the host does not
   * tell: with one, all the time since then counts.
   */
  connectingMs(): number;
  /** Gives up connecting: undici goes on with that even after the client was destroyed. */
  stopConnecting(): void;
}

/** Keeps connections alive between the attempts that need them. */
export interface Connections {
  /** The idle one to this origin that was released last; else a new one. */
  acquire(origin: string): Connection;
  /** A new one, which connects when something is dispatched to it. */
  open(origin: string): Connection;
  /** Keeps it for the next attempt. */
  release(connection: Connection): void;
  /** Destroys it, with whatever is under way on it or waits for it to connect. */
  discard(connection: Connection): void;
  /** Lets what is under way end. Only attempts that are under way may still open connections. */
  close(): Promise<void>;
}

/** The longest that an idle socket is kept if the receiver promises to. Without a promise undici keeps it for less. */
const MAX_IDLE_MS = 30_000;

/**
 * How old a connection may be to be used again, ms. One that is busy never idles for long, and would stay at an address
 * that the name may have lost meanwhile, unseen by the guard.
 */
const MAX_AGE_MS = 300_000;

/**
 * The most idle sockets, over all origins. Otherwise a client that changes the URL of a webhook before each attempt would
 * have the app hold thousands, until it can open no more for anybody.
 */
const MAX_IDLE = 256;

/** Node's own default, even if the app was started with another `--max-http-header-size`. */
const MAX_HEADER_BYTES = 16_384;

/**
 * One undici `Client` for each connection, rather than undici's `Pool`: an attempt never waits behind others to the same
 * host, can be broken off while it still connects, and knows whether its socket was used before.
 */
export function createConnections(connect: Connector): Connections {
  /** Each with the time when it was opened, by `performance.now()`. */
  const all = new Map<Connection, number>();
  const idle = new Map<string, Connection[]>();
  let idleCount = 0;
  let isAboutToTrim = false;

  function open(origin: string): Connection {
    const meter = meteredConnector(connect);
    const client = new Client(origin, {
      connect: meter.connect,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      // The deadline of the whole attempt is kept by the attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection: Connection = {
      origin,
      dispatcher: client,
      idled: false,
      expectAnswer: meter.restart,
      connectingMs: meter.connectingMs,
      stopConnecting: meter.giveUp,
    };
    client.on('disconnect', () => {
      connection.idled = false;
      if (forget(connection)) discard(connection);
    });
    all.set(connection, performance.now());
    return connection;
  }

  /** @returns whether it was idle */
  function forget(connection: Connection): boolean {
    const siblings = idle.get(connection.origin) ?? [];
    const index = siblings.indexOf(connection);
    if (index === -1) return false;
    siblings.splice(index, 1);
    idleCount -= 1;
    if (siblings.length === 0) idle.delete(connection.origin);
    return true;
  }

  /** Takes the origin that has been idle longest, though not always that origin's longest idle connection. */
  function discardOldest(): void {
    const [siblings] = idle.values();
    const oldest = siblings?.[0];
    if (oldest !== undefined && forget(oldest)) discard(oldest);
  }

  /** In the next turn: connections whose answers came in this one are idle only until the attempts that follow take them. */
  function trimSoon(): void {
    if (isAboutToTrim) return;
    isAboutToTrim = true;
    atEndOfTurn(() =>
      atEndOfTurn(() => {
        isAboutToTrim = false;
        while (idleCount > MAX_IDLE) discardOldest();
      }),
    );
  }

  /** Not where all are being closed: then the connection is no longer known, and ends anyway. */
  function isTooOld(connection: Connection): boolean {
    const openedAtMs = all.get(connection);
    return openedAtMs !== undefined && performance.now() - openedAtMs > MAX_AGE_MS;
  }

  function discard(connection: Connection): void {
    all.delete(connection);
    connection.dispatcher.destroy(() => {});
    connection.stopConnecting();
  }

  return {
    acquire(origin) {
      const siblings = idle.get(origin);
      const connection = siblings?.pop();
      if (connection !== undefined) idleCount -= 1;
      if (siblings?.length === 0) idle.delete(origin);
      return connection ?? open(origin);
    },
    open,
    release(connection) {
      if (isTooOld(connection)) {
        discard(connection);
        return;
      }
      connection.idled = true;
      const siblings = idle.get(connection.origin);
      if (siblings === undefined) idle.set(connection.origin, [connection]);
      else siblings.push(connection);
      idleCount += 1;
      if (idleCount > MAX_IDLE) trimSoon();
    },
    discard,
    async close() {
      // Repeated, since an attempt that is under way may have opened another meanwhile.
      while (all.size > 0) {
        await Promise.all(
          [...all.keys()].map(async (connection) => {
            all.delete(connection);
            await connection.dispatcher.close();
          }),
        );
      }
      idle.clear();
      idleCount = 0;
    },
  };
}

/** Leaves it to `dispatcher` to make connections and to keep them. */
export function dispatcherConnections(dispatcher: Dispatcher): Connections {
  const open = (origin: string): Connection => {
    let handedOverAtMs = 0;
    return {
      origin,
      dispatcher,
      idled: false,
      expectAnswer() {
        handedOverAtMs = performance.now();
      },
      connectingMs: () => performance.now() - handedOverAtMs,
      stopConnecting() {},
    };
  };
  return { acquire: open, open, release() {}, discard() {}, async close() {} };
}
