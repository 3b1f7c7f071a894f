import { Client, type Dispatcher } from 'undici';
import type { Connector } from './connector.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import { meteredConnector } from './metered-connector.ts';

/** What requests are dispatched to. */
export interface Connection {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  /** By the clock of `performance`, ms. */
  readonly openedAtMs: number;
  /** Whether it was idle with the socket that it has now: the receiver may have closed that meanwhile. */
  idled: boolean;
  /**
   * To be told before each dispatch: another answer is to come, with bounds of its own. `contentBytes` tells how much
   * content of it has been read.
   */
  expectAnswer(contentBytes: () => number): void;
  /** How long it connected for the answer that is expected, ms; 0: not at all. What nobody tells counts as well. */
  connectingMs(): number;
  /** Has it connect no further, and ends what it has connected: its dispatcher would go on, though it is destroyed. */
  stopConnecting(): void;
}

/** Keeps connections alive between the attempts that need them. */
export interface Connections {
  /** An idle one to the origin, the last that was given back; else a new one. */
  take(origin: string): Connection;
  /** A new one, which connects when something is dispatched to it. */
  open(origin: string): Connection;
  /** For the next attempt. */
  giveBack(connection: Connection): void;
  /** Ends it, and whatever is under way on it, or on the way to it. */
  discard(connection: Connection): void;
  /** Lets what is under way end. Nothing may be taken any more, but by an attempt that is under way. */
  close(): Promise<void>;
}

/** Longer than an idle socket would live anyhow, unless the receiver promises so; then this is the most. */
const MAX_IDLE_MS = 30_000;

/**
 * A busy one is never idle for long, and would be kept to an address that the name may have lost meanwhile, unseen by the
 * guard.
 */
const MAX_AGE_MS = 300_000;

/**
 * Idle sockets, over all origins: a client that changes the URL of a webhook before each attempt would else have
 * the app hold thousands, until it can open none for anybody.
 */
const MAX_IDLE = 256;

/** As much as Node's own default, whatever `--max-http-header-size` the app was started with. */
const MAX_HEADER_BYTES = 16_384;

/**
 * One undici `Client` a connection, rather than undici's `Pool`: an attempt never waits in line behind others
 * to the same host, can be broken off while it still connects, and knows whether its socket was used before.
 */
export function createConnections(connect: Connector): Connections {
  const all = new Set<Connection>();
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
      openedAtMs: performance.now(),
      idled: false,
      expectAnswer: meter.restart,
      connectingMs: meter.connectingMs,
      stopConnecting: meter.giveUp,
    };
    client.on('disconnect', () => {
      connection.idled = false;
      if (forget(connection)) discard(connection);
    });
    all.add(connection);
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

  /** Of the origin that has been idle longest, though one of its own may have been so for less. */
  function discardOldest(): void {
    const [siblings] = idle.values();
    const oldest = siblings?.[0];
    if (oldest !== undefined && forget(oldest)) discard(oldest);
  }

  /** In the next turn: what is answered in this one is idle until its end, when whoever sends next may take it. */
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

  function discard(connection: Connection): void {
    all.delete(connection);
    connection.dispatcher.destroy(() => {});
    connection.stopConnecting();
  }

  return {
    take(origin) {
      const siblings = idle.get(origin);
      const connection = siblings?.pop();
      if (connection !== undefined) idleCount -= 1;
      if (siblings?.length === 0) idle.delete(origin);
      return connection ?? open(origin);
    },
    open,
    giveBack(connection) {
      if (performance.now() - connection.openedAtMs > MAX_AGE_MS) {
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
      // Again, because an attempt that is under way may have opened another meanwhile.
      while (all.size > 0) {
        await Promise.all(
          [...all].map(async (connection) => {
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

/** Leaves connections to `dispatcher`, and how long they live. */
export function dispatcherConnections(dispatcher: Dispatcher): Connections {
  const open = (origin: string): Connection => {
    let handedOverAtMs = 0;
    return {
      origin,
      dispatcher,
      openedAtMs: performance.now(),
      idled: false,
      expectAnswer() {
        handedOverAtMs = performance.now();
      },
      connectingMs: () => performance.now() - handedOverAtMs,
      stopConnecting() {},
    };
  };
  return { take: open, open, giveBack() {}, discard() {}, async close() {} };
}
