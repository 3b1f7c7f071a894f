import type { Dispatcher } from 'undici';
import type { ConnectionUse } from './connection-use.ts';

/** A request with its connection. */
export interface CarriedRequest extends Dispatcher.DispatchOptions {
  readonly use: ConnectionUse;
}

/** Sends requests to receivers. */
export interface Carrier {
  dispatch(request: CarriedRequest, handler: Dispatcher.DispatchHandler): void;
  /**
   * Repeats a request over a new connection. `null` for a dispatcher of the host, which itself decides about repeats.
   */
  readonly dispatchAnew: Carrier['dispatch'] | null;
  /** Closes all connections. Call it when no request is in flight. */
  close(): Promise<void>;
}

/** Sends over a dispatcher of the host, which opens and keeps the connections. */
export function dispatcherCarrier(dispatcher: Dispatcher): Carrier {
  return {
    dispatch: (request, handler) => void dispatcher.dispatch(request, handler),
    dispatchAnew: null,
    async close() {},
  };
}
