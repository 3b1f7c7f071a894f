import type { buildConnector, Client, Dispatcher } from 'undici';
import type { RequestConnection } from './request-connection.ts';
import type { TransportRequest } from './transport.ts';
import { undici } from './undici.ts';

/** Where to connect to, and for which request. */
export interface ConnectTarget extends buildConnector.Options {
  readonly connection: RequestConnection;
}

export type Connector = (target: ConnectTarget, callback: buildConnector.Callback) => void;

const CLIENT_OPTIONS = {
  // The default of Node.js, even if the app was started with another `--max-http-header-size`.
  maxHeaderSize: 16_384,
  // The longest time for which an idle socket is kept where the receiver sends `Keep-Alive`. Without it undici keeps it
  // for less.
  keepAliveMaxTimeout: 30_000,
} as const;

/** The constructor of a client whose requests need a {@link RequestConnection}. */
type AttemptClient = new (origin: URL | string, connect: Connector) => Client;

let attemptClientClass: AttemptClient | undefined;

/**
 * Creates an undici client whose connector knows for which request it connects: for the last one that was dispatched,
 * because the client is marked as busy until that request has ended.
 */
export function attemptClient(origin: URL | string, connect: Connector): Client {
  // Undici is loaded lazily. One class for all clients: undici reads the fields of several classes far more slowly.
  attemptClientClass ??= defineAttemptClient();
  return new attemptClientClass(origin, connect);
}

function defineAttemptClient(): AttemptClient {
  return class extends undici.get().Client {
    #current: RequestConnection | null = null;

    constructor(origin: URL | string, connect: Connector) {
      super(origin, {
        ...CLIENT_OPTIONS,
        connect: (target, callback) => {
          if (this.#current === null) callback(new Error('no request asked for it'), null);
          else connect({ ...target, connection: this.#current }, callback);
        },
      });
    }

    override dispatch(request: TransportRequest, handler: Dispatcher.DispatchHandler): boolean {
      this.#current = request.connection;
      super.dispatch(request, handler);
      // `false` marks the client as busy until its `drain` event. If the handler rejected the request, undici would
      // report the client as free before that event: of two requests dispatched in between, one would wait for the
      // response to the other.
      return false;
    }
  };
}
