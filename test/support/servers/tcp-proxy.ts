import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from './free-port.ts';
import { openTcpLane, type TcpLane } from './tcp-lane.ts';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * A proxy between an app and a server that causes network faults, one at a time. Each method replaces the previous
 * fault, and resolves when the new fault applies to open and to new connections.
 *
 * As with TCP itself, no byte is lost within a connection that stays open: bytes are late, or the connection is reset.
 */
export interface TcpProxy {
  /** Unchanged by `reject`. */
  readonly port: number;
  /** `redis://127.0.0.1:<port>` */
  readonly url: string;
  /** No fault; all held bytes are delivered now. */
  pass(): Promise<void>;
  /** Nothing arrives in either direction, but connections stay open, as if a cable was pulled. */
  blackhole(): Promise<void>;
  /** Replies arrive `ms` later; requests arrive immediately. */
  delay(ms: number): Promise<void>;
  /** Requests arrive, but replies are lost, so the server executes what the client considers failed. */
  dropReplies(): Promise<void>;
  /** Resets the open connections and rejects new ones: as if the server was down. */
  reject(): Promise<void>;
  /** Resets the open connections (RST), once. The fault in force stays. */
  reset(): void;
  /** The number of connections that clients have not ended. */
  openConnections(): number;
  /** Sends new connections to another server, like a failover behind one name. Open connections stay. */
  redirect(target: TcpTarget | string): void;
  stop(): Promise<void>;
}

type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'blackhole' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'lost-replies' };

interface Connection {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly lanes: readonly TcpLane[];
  /** Whether replies were dropped, so that the connection must be reset. */
  isBroken: boolean;
}

const host = '127.0.0.1';

/** @param target - where the connections lead: an address, or a URL such as `redis://127.0.0.1:6379`. */
export async function startTcpProxy(target: TcpTarget | string): Promise<TcpProxy> {
  let address = addressOf(target);
  const connections = new Set<Connection>();
  let fault: Fault = { kind: 'none' };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({ ...address, allowHalfOpen: true, noDelay: true });
    const connection: Connection = {
      client,
      upstream,
      isBroken: false,
      lanes: [
        openTcpLane(client, upstream, () => (fault.kind === 'blackhole' ? 'hold' : 'forward')),
        openTcpLane(upstream, client, (ageMs) => {
          if (fault.kind === 'blackhole') return 'hold';
          if (fault.kind === 'delay' && ageMs < fault.ms) return { waitMs: fault.ms - ageMs };
          if (fault.kind !== 'lost-replies') return 'forward';
          connection.isBroken = true;
          return 'drop';
        }),
      ],
    };
    connections.add(connection);
    // An error of one side becomes a reset of the other; 'close' follows every error.
    client.on('error', () => upstream.resetAndDestroy());
    upstream.on('error', () => client.resetAndDestroy());
    upstream.on('close', () => {
      if (client.destroyed) connections.delete(connection);
    });
    client.on('close', () => {
      if (upstream.destroyed) connections.delete(connection);
    });
  });

  async function enforce(next: Fault): Promise<void> {
    fault = next;
    for (const connection of connections) {
      if (connection.isBroken && next.kind !== 'lost-replies') resetConnection(connection);
      else for (const lane of connection.lanes) lane.flush();
    }
    if (!server.listening) {
      server.listen(port, host);
      await once(server, 'listening');
    }
  }

  function reset(): void {
    for (const connection of connections) resetConnection(connection);
  }

  async function reject(): Promise<void> {
    reset();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  }

  const port = await listenOnFreePort(server);
  return {
    port,
    url: `redis://${host}:${port}`,
    pass: () => enforce({ kind: 'none' }),
    blackhole: () => enforce({ kind: 'blackhole' }),
    delay: (ms) => enforce({ kind: 'delay', ms }),
    dropReplies: () => enforce({ kind: 'lost-replies' }),
    reject,
    reset,
    openConnections: () =>
      [...connections].filter(({ client }) => !client.destroyed && !client.readableEnded).length,
    redirect: (next) => {
      address = addressOf(next);
    },
    stop: reject,
  };
}

function resetConnection({ client, upstream }: Connection): void {
  client.resetAndDestroy();
  upstream.resetAndDestroy();
}

function addressOf(target: TcpTarget | string): TcpTarget {
  if (typeof target !== 'string') return target;
  const { hostname, port } = new URL(target);
  return { host: hostname, port: port === '' ? 6379 : Number(port) };
}
