import type { Dispatcher } from 'undici';
import type { Exchange } from './exchange.ts';

/** An answer that is being read. */
export interface Answer {
  /** How much of its content has been read so far. */
  readonly contentBytes: number;
}

/** What requests are dispatched to. */
export interface Connection {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  /** What the dispatcher calls an exchange by. */
  handlerOf(exchange: Exchange): Dispatcher.DispatchHandler;
  /** Whether its present socket has been kept idle: the receiver may have closed it meanwhile. */
  idled: boolean;
  /**
   * Call before each dispatch, for a webhook of this account: the answer to it has bounds of its own.
   */
  expectAnswer(accountId: number, answer: Answer): void;
  /**
   * How long it took to connect since the last `expectAnswer`, ms; 0: it was connected. A dispatcher of the host does
   * not say: with one, all the time since then counts.
   */
  connectingMs(): number;
  /** Gives up connecting: undici goes on with that even after the client was destroyed. */
  stopConnecting(): void;
}
