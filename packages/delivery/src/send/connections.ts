import { performance } from 'node:perf_hooks';
import type { Client, Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import type { Connector } from './connector.ts';
import { CurrentHandler, RawHandler } from './handlers.ts';
import { IdleConnections } from './idle-connections.ts';
import { meteredConnector } from './metered-connector.ts';
import type { SignedRequest } from './signed-request.ts';
import { undici } from './undici.ts';

/** Keeps connections alive between the attempts that need them. */
export interface Connections {
  /** The idle one to this origin that was released last; else a new one. */
  acquire(origin: string): Connection;
  /** A new one, which connects when something is dispatched to it. */
  open(origin: string): Connection;
  /** Lets requests in flight end. Only their attempts may still open connections. */
  close(): Promise<void>;
}

/** The longest that an idle socket is kept if the receiver promises to. Without a promise undici keeps it for less. */
const MAX_IDLE_MS = 30_000;

/**
 * How old a connection may be to be used again, ms. One that is busy never idles for long, and would stay at an address
 * that the name may have lost meanwhile, unseen by the guard.
 */
const MAX_AGE_MS = 300_000;

/** Node's own default, even if the app was started with another `--max-http-header-size`. */
const MAX_HEADER_BYTES = 16_384;

/**
 * One undici `Client` for each connection, rather than undici's `Pool`: an attempt never waits behind others to the
 * same host, can be broken off while it still connects, and knows whether its socket was used before.
 */
export function createConnections(connect: Connector): Connections {
  const clients = new Map<Connection, Client>();
  const idle = new IdleConnections();

  function open(origin: string): Connection {
    const meter = meteredConnector(connect);
    const client = new (undici.get().Client)(origin, {
      connect: meter.connect,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveMaxTimeout: MAX_IDLE_MS,
    });
    const openedAtMs = performance.now();
    let idled = false;

    const connection: Connection = {
      origin,
      get idled() {
        return idled;
      },
      dispatch(request, exchange) {
        meter.restart(request.accountId, exchange);
        client.dispatch(optionsOf(request, request.bytes), new RawHandler(exchange));
      },
      connectingMs: meter.connectingMs,
      release() {
        // Where all are being closed, it is no longer known, and ends anyway.
        if (clients.has(connection) && performance.now() - openedAtMs > MAX_AGE_MS) {
          connection.discard();
          return;
        }
        idled = true;
        meter.forgetAnswer();
        idle.add(connection);
      },
      discard() {
        clients.delete(connection);
        client.destroy(() => {});
        // undici goes on with that even after the client was destroyed.
        meter.giveUp();
      },
    };
    client.on('disconnect', () => {
      idled = false;
      if (idle.delete(connection)) connection.discard();
    });
    clients.set(connection, client);
    return connection;
  }

  return {
    acquire: (origin) => idle.take(origin) ?? open(origin),
    open,
    async close() {
      // Repeated, since an attempt in flight may have opened another meanwhile.
      while (clients.size > 0) {
        const closing = [...clients.values()];
        clients.clear();
        await Promise.all(closing.map((client) => client.close()));
      }
      idle.clear();
    },
  };
}

/** Leaves it to `dispatcher` to make connections and to keep them. */
export function dispatcherConnections(dispatcher: Dispatcher): Connections {
  const open = (origin: string): Connection => {
    let handedOverAtMs = 0;
    return {
      origin,
      idled: false,
      dispatch(request, exchange) {
        handedOverAtMs = performance.now();
        // As text: it may be looked at by code of the host, which must not reach the bytes of others.
        dispatcher.dispatch(optionsOf(request, request.body), new CurrentHandler(exchange));
      },
      connectingMs: () => performance.now() - handedOverAtMs,
      release() {},
      discard() {},
    };
  };
  return { acquire: open, open, async close() {} };
}

function optionsOf(
  { target, headers }: SignedRequest,
  body: string | Uint8Array,
): Dispatcher.DispatchOptions {
  return {
    origin: target.origin,
    path: target.path,
    method: 'POST',
    headers,
    body,
    // The deadline of the whole attempt is kept by the attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}
