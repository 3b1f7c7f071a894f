import type { Exchange } from './exchange.ts';
import type { SignedRequest } from './signed-request.ts';

/** An answer that is being read. */
export interface Answer {
  /** How much of its content has been read so far. */
  readonly contentBytes: number;
}

/** What carries one exchange at a time. */
export interface Connection {
  readonly origin: string;
  /** Whether its present socket has been kept idle: the receiver may have closed it meanwhile. */
  readonly idled: boolean;
  /** Begins an exchange. Its answer has bounds of its own, by the account whose webhook it is for. */
  dispatch(request: SignedRequest, exchange: Exchange): void;
  /**
   * How long it took to connect since the last `dispatch`, ms; 0: it was connected. A dispatcher of the host does not
   * say: with one, all the time since then counts.
   */
  connectingMs(): number;
  /** Keeps it for the next attempt, and nothing of the last one. */
  release(): void;
  /** Destroys it, with the request that is in flight on it or waits for it to connect. */
  discard(): void;
}
