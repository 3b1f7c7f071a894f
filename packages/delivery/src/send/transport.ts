import type { Dispatcher } from 'undici';
import type { RequestConnection } from './request-connection.ts';

/** A request with its connection. */
export interface TransportRequest extends Dispatcher.DispatchOptions {
  readonly connection: RequestConnection;
}

/** Sends requests to receivers. */
export interface Transport {
  dispatch(request: TransportRequest, handler: Dispatcher.DispatchHandler): void;
  /**
   * Repeats a request over a new connection. `null` for a dispatcher of the host, which itself decides about repeats.
   */
  readonly dispatchOnNewConnection: Transport['dispatch'] | null;
  /** Closes all connections. Call it when no request is in flight. */
  close(): Promise<void>;
}

/** Sends over a dispatcher of the host, which opens and keeps the connections. */
export function dispatcherTransport(dispatcher: Dispatcher): Transport {
  return {
    dispatch: (request, handler) => void dispatcher.dispatch(request, handler),
    dispatchOnNewConnection: null,
    async close() {},
  };
}
