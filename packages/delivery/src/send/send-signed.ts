// Imported here and elsewhere: the global one is an accessor, which V8 does not inline.
import { performance } from 'node:perf_hooks';
import type { Timers } from '@latchhook/core/delivery';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import { Exchange, type ExchangeEnd, type ExchangeOwner } from './exchange.ts';
import { SendFault } from './send-fault.ts';
import type { SendResult } from './send-result.ts';
import type { SendOutcome, SendRequest } from './sender.ts';
import type { SignedRequest } from './signed-request.ts';
import { toSendError } from './to-send-error.ts';

/** When an attempt may begin, when it did by the clock of the store, and how long it may take. */
export interface AttemptTimes extends Pick<SendRequest, 'mayBegin' | 'timestampMs'> {
  /** From now to its end, ms. */
  readonly timeoutMs: number;
  /** What its end is waited for by. */
  readonly timers: Timers;
}

/**
 * Sends a request and waits for its answer, within one timeout for all of it.
 *
 * A receiver may close an idle connection in the very moment in which it is used again. That is nobody's failure, so
 * the request is sent once more at once, over a new connection, within the same timeout. RFC 9110 9.2.2 allows that, as
 * the receiver knows a repeat by its `webhook-id`.
 */
export function sendSigned(
  connections: Connections,
  request: SignedRequest,
  times: AttemptTimes,
): Promise<SendOutcome> {
  return new Promise((resolve) => new SignedAttempt(connections, request, times, resolve).begin());
}

/** One attempt: its request, its deadline, and the connection that it is on. */
class SignedAttempt implements ExchangeOwner {
  readonly #connections: Connections;
  readonly #request: SignedRequest;
  readonly #times: AttemptTimes;
  readonly #resolve: (outcome: SendOutcome) => void;
  readonly #startedAtMs = performance.now();
  #connection: Connection;
  /** The one that is in progress. */
  #exchange: Exchange | undefined;
  #isRepeat = false;
  /** Calls the deadline off. */
  #callOff: (() => void) | undefined;

  constructor(
    connections: Connections,
    request: SignedRequest,
    times: AttemptTimes,
    resolve: (outcome: SendOutcome) => void,
  ) {
    this.#connections = connections;
    this.#connection = connections.acquire(request.target.origin);
    this.#request = request;
    this.#times = times;
    this.#resolve = resolve;
  }

  begin(): void {
    const { timers, timeoutMs } = this.#times;
    // At the end of the turn: an answer may have come that was not read yet (ADR 38).
    this.#callOff = timers.after(timeoutMs, () =>
      atEndOfTurn(() => this.#exchange?.stop(new SendFault('timeout'))),
    );
    this.#send();
  }

  /** The repeat of an attempt that was allowed to begin is allowed too. */
  mayBegin(): boolean {
    return this.#isRepeat || this.#times.mayBegin(this.#connection.connectingMs());
  }

  nowMs(): number {
    return this.#times.timestampMs + performance.now() - this.#startedAtMs;
  }

  ended(end: ExchangeEnd): void {
    const connection = this.#connection;
    const { target } = this.#request;
    const repeat = !this.#isRepeat && wasClosedWhileIdle(connection, end, target.url);
    if (end.isReusable) connection.release();
    else connection.discard();
    if (repeat) {
      this.#isRepeat = true;
      this.#connection = this.#connections.open(target.origin);
      this.#send();
      return;
    }
    this.#callOff?.();
    // The deadline may be at its last look: it must not stop what is over, whose connection others may have by now.
    this.#exchange = undefined;
    const durationMs = performance.now() - this.#startedAtMs;
    const result = end.began ? toResult(end, target.url, durationMs) : 'too_late';
    atEndOfTurn(() => this.#resolve(result));
  }

  #send(): void {
    const exchange = new Exchange(this);
    this.#exchange = exchange;
    try {
      this.#connection.dispatch(this.#request, exchange);
    } catch (error) {
      exchange.stop(error);
    }
  }
}

function wasClosedWhileIdle(
  { idled }: Connection,
  { status, error }: ExchangeEnd,
  target: URL,
): boolean {
  return (
    idled && status === null && error !== null && toSendError(error, target) === 'connection_reset'
  );
}

function toResult(end: ExchangeEnd, url: URL, durationMs: number): SendResult {
  const error = end.error === null ? null : toSendError(end.error, url);
  const { status, response, retryAfterMs } = end;
  const result = { status, durationMs: Math.round(durationMs), error, response, retryAfterMs };
  return error === 'sender_failed' ? { ...result, fault: end.error } : result;
}
