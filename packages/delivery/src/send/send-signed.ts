import type { Timers } from '@latchhook/core/delivery';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import { Exchange, type ExchangeEnd } from './exchange.ts';
import { SendFault } from './send-fault.ts';
import type { SendResult } from './send-result.ts';
import type { SendOutcome, SendRequest } from './sender.ts';
import type { Target } from './target.ts';
import { toSendError } from './to-send-error.ts';

/** The HTTP request of an attempt. */
export interface SignedRequest {
  /** Whose webhook it is for. */
  readonly accountId: number;
  readonly target: Target;
  /** Names and values by turns. */
  readonly headers: string[];
  readonly body: string;
}

/** The repeat of an attempt that was allowed to begin is allowed too. */
const ALWAYS = (): boolean => true;

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
  { mayBegin, timestampMs, timeoutMs, timers }: AttemptTimes,
): Promise<SendOutcome> {
  const { origin, url } = request.target;
  const startedAtMs = performance.now();
  const nowMs = (): number => timestampMs + performance.now() - startedAtMs;
  return new Promise((resolve) => {
    let current: Exchange | undefined;
    // At the end of the turn: an answer may have come that was not read yet (ADR 38).
    const callOff = timers.after(timeoutMs, () =>
      atEndOfTurn(() => current?.stop(new SendFault('timeout'))),
    );

    const begin = (connection: Connection, isFirst: boolean): void => {
      const isInTime = isFirst ? () => mayBegin(connection.connectingMs()) : ALWAYS;
      const exchange = new Exchange(isInTime, nowMs, (end) => {
        const repeat = isFirst && wasClosedWhileIdle(connection, end, url);
        if (end.isReusable) connections.release(connection);
        else connections.discard(connection);
        if (repeat) {
          begin(connections.open(origin), false);
        } else {
          callOff();
          // The deadline may be at its last look: it must not stop what is over, whose connection others may have by
          // now.
          current = undefined;
          const durationMs = performance.now() - startedAtMs;
          const result = end.began ? toResult(end, url, durationMs) : 'too_late';
          atEndOfTurn(() => resolve(result));
        }
      });
      current = exchange;
      connection.expectAnswer(request.accountId, () => exchange.contentBytes);
      dispatch(connection, request, exchange);
    };
    begin(connections.acquire(origin), true);
  });
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

function dispatch(
  connection: Connection,
  { target, headers, body }: SignedRequest,
  exchange: Exchange,
): void {
  try {
    connection.dispatcher.dispatch(
      {
        origin: target.origin,
        path: target.path,
        method: 'POST',
        headers,
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      connection.handlerOf(exchange),
    );
  } catch (error) {
    exchange.stop(error);
  }
}
