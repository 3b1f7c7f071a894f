import type { IncomingHttpHeaders } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import type { Timers } from '@latchhook/core/delivery';
import type { Dispatcher } from 'undici';
import { ReceiverResponse } from './receiver-response.ts';
import { RequestConnection } from './request-connection.ts';
import { SendFault } from './send-fault.ts';
import type { SendOutcome, SendRequest } from './sender.ts';
import { sign } from './sign.ts';
import type { Target } from './target.ts';
import { toSendError } from './to-send-error.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { USER_AGENT } from './user-agent.ts';

/**
 * Responses with these statuses end with their headers, whatever `Content-Length` says (RFC 9112 6.3). undici reports a
 * mismatch, which is ignored.
 */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 304]);

/**
 * If a kept connection is reset within this time after the request was written, ms, the receiver was closing it while
 * it was idle. If it is reset later, the receiver may well have read the request. Besides, the repeat is not counted
 * against the rate limit, so it must follow at once.
 */
const CLOSED_WHILE_IDLE_MS = 1_000;

/** What an attempt needs besides its request. */
export interface AttemptOptions {
  readonly transport: Transport;
  /** The timeout of the whole attempt, ms, measured with `timers`. */
  readonly timeoutMs: number;
  readonly timers: Timers;
  readonly onEnd: (outcome: SendOutcome) => void;
}

/**
 * One attempt: its request, its deadline, and the response as undici parses it. It neither follows redirects nor
 * decompresses content.
 *
 * A receiver may close an idle connection at the moment at which it is used again. That is nobody's fault, so the
 * request is repeated immediately, over a new connection, within the same timeout. RFC 9110 9.2.2 allows the repeat,
 * as the receiver recognises it by its `webhook-id`.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #request: SendRequest;
  readonly #target: Target;
  readonly #options: AttemptOptions;
  readonly #response = new ReceiverResponse();
  readonly #begunAtMs = performance.now();
  readonly #cancelDeadline: () => void;
  #connection: RequestConnection;
  #controller: Dispatcher.DispatchController | undefined;
  /** Infinity: not yet, as undici may find the connection closed before it writes the request. */
  #writtenAtMs = Number.POSITIVE_INFINITY;
  #isRepeat = false;
  #isOver = false;

  constructor(request: SendRequest, target: Target, options: AttemptOptions) {
    this.#request = request;
    this.#target = target;
    this.#options = options;
    this.#connection = new RequestConnection(request.accountId);
    // When the deadline is due, the event loop reads once more because the response may have arrived while the process
    // was busy.
    const stop = (): void => this.#stop(new SendFault('timeout'));
    this.#cancelDeadline = options.timers.after(options.timeoutMs, () => setImmediate(stop));
  }

  /** Signs the request, and sends it once there is a connection. Does not throw. */
  begin(): void {
    try {
      this.#options.transport.dispatch(this.#toSigned(), this);
    } catch (error) {
      this.#stop(error);
    }
  }

  /** The request is about to be written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // If the handler throws here, undici fails the request and keeps the connection; `abort` would close it.
    if (this.#isOver) throw new Error('over');
    const connectingMs = this.#connection.endConnecting();
    // If the first request was allowed to begin, so is its repeat.
    if (!this.#isRepeat && !this.#request.mayBegin(connectingMs)) {
      this.#end('too_late');
      throw new Error('too late');
    }
    this.#controller = controller;
    this.#writtenAtMs = performance.now();
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    // An interim response, such as 103: the final one is still to come.
    if (this.#isOver || status < 200) return;
    const elapsedMs = performance.now() - this.#begunAtMs;
    this.#response.begin(status, headers, this.#request.timestampMs + elapsedMs);
  }

  onResponseData(_: unknown, chunk: Uint8Array): void {
    if (!this.#isOver && !this.#response.add(chunk)) this.#stop(null);
  }

  onResponseEnd(): void {
    this.#endWith(null);
  }

  onResponseError(_: unknown, error: unknown): void {
    if (this.#isOver) return;
    const fault = isLengthMismatch(error) ? this.#faultOfMismatch(error) : error;
    const { dispatchOnNewConnection } = this.#options.transport;
    if (dispatchOnNewConnection !== null && this.#wasClosedWhileIdle(fault)) {
      this.#isRepeat = true;
      this.#connection = new RequestConnection(this.#request.accountId);
      dispatchOnNewConnection(this.#toSigned(), this);
    } else {
      this.#endWith(fault);
    }
  }

  #toSigned(): TransportRequest {
    const { deliveryId, body, secrets, timestampMs } = this.#request;
    const seconds = Math.floor(timestampMs / 1000);
    // undici takes headers as a flat list of names and values.
    const headers = [
      'content-type',
      'application/json',
      'user-agent',
      USER_AGENT,
      'webhook-id',
      deliveryId,
      'webhook-timestamp',
      String(seconds),
      'webhook-signature',
      sign(secrets, deliveryId, seconds, body),
    ];
    const { origin, path } = this.#target;
    return {
      origin,
      path,
      method: 'POST',
      headers,
      body,
      // The deadline of the whole attempt replaces undici's own timeouts.
      headersTimeout: 0,
      bodyTimeout: 0,
      connection: this.#connection,
    };
  }

  #wasClosedWhileIdle(fault: unknown): boolean {
    const mayRepeat = !this.#isRepeat && !this.#connection.isNew && this.#response.status === null;
    const isSoon = performance.now() - this.#writtenAtMs < CLOSED_WHILE_IDLE_MS;
    return mayRepeat && isSoon && toSendError(fault, this.#target.url) === 'connection_reset';
  }

  #faultOfMismatch(error: unknown): unknown {
    // The headers contradict one another.
    if (this.#response.status === null) return new SendFault('invalid_answer');
    return WITHOUT_CONTENT.has(this.#response.status) ? null : error;
  }

  /** Aborts the attempt. */
  #stop(fault: unknown): void {
    if (this.#isOver) return;
    this.#endWith(fault);
    const reason = new Error('stopped');
    this.#connection.abandon(reason);
    this.#controller?.abort(reason);
  }

  /** @param fault - `null`: the response has ended, or enough of it was read */
  #endWith(fault: unknown): void {
    const { status, retryAfterMs } = this.#response;
    const durationMs = Math.round(performance.now() - this.#begunAtMs);
    const error = fault === null ? null : toSendError(fault, this.#target.url);
    const result = { status, durationMs, error, retryAfterMs };
    this.#end(error === 'sender_failed' ? { ...result, fault } : result);
  }

  #end(outcome: SendOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelDeadline();
    this.#options.onEnd(outcome);
  }
}

function isLengthMismatch(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}
