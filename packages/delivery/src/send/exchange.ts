import { MAX_RESPONSE_BYTES } from '@latchhook/core/storage';
import { httpDateMs, retryAfterMs } from './retry-after.ts';
import { SendFault } from './send-fault.ts';

/** How much of an answer's content is read: a receiver has nothing more to tell us. */
const MAX_ANSWER_BYTES = 65_536;
/**
 * In how many pieces. A piece costs the parser the same however small it is: 40,000 chunks of one byte kept the process
 * busy for 3 to 14 ms.
 */
const MAX_ANSWER_PIECES = 1_024;

/** Replaced by spaces: in the log, which is JSON, each would take six bytes. */
const CONTROLS = /\p{Cc}/gu;

/** These end with their headers, whatever length those announce (RFC 9112 6.3), but undici reports a mismatch. */
const WITHOUT_CONTENT: ReadonlySet<number> = new Set([204, 304]);

/** How an exchange ended. */
export interface ExchangeEnd {
  /** `false`: nothing was sent, since it was too late to. */
  readonly began: boolean;
  /** `null` where no answer began. */
  readonly status: number | null;
  /** Why undici, or we, broke it off; `null` where as much of the answer was read as is wanted. */
  readonly error: unknown;
  /** The beginning of a refusal's content; `null` where none began. */
  readonly response: string | null;
  readonly retryAfterMs: number | null;
  /** Whether the connection can carry the next one: all of the answer was read, or nothing was sent. */
  readonly isReusable: boolean;
}

/** Whose exchange it is. */
export interface ExchangeOwner {
  /** Asked when the request is about to be written. */
  mayBegin(): boolean;
  /** The time of the store: a receiver's date is compared with it, and clocks of machines differ. */
  nowMs(): number;
  /** Told once, at whichever end comes first. */
  ended(end: ExchangeEnd): void;
}

/** Names and values by turns. */
export type RawHeaders = readonly (Uint8Array | string)[];

/**
 * Takes in one answer as undici parses it: redirects are not followed, content is not decompressed. undici calls it by
 * a handler of `handlers.ts`.
 */
export class Exchange {
  readonly #owner: ExchangeOwner;
  readonly #kept: Uint8Array[] = [];
  #abort: ((reason: Error) => void) | undefined;
  #contentBytes = 0;
  #contentPieces = 0;
  #status: number | null = null;
  #retryAfterMs: number | null = null;
  #began = true;
  #ended = false;

  constructor(owner: ExchangeOwner) {
    this.#owner = owner;
  }

  /** How much content has been read. */
  get contentBytes(): number {
    return this.#contentBytes;
  }

  /** Breaks it off. */
  stop(error: unknown): void {
    this.#end(error, false);
    this.#abort?.(new Error('stopped'));
  }

  /** The request is about to be written. */
  begin(abort: (reason: Error) => void): void {
    // It may have been stopped while it was waiting for a connection.
    if (this.#ended) {
      abort(new Error('stopped'));
    } else if (this.#owner.mayBegin()) {
      this.#abort = abort;
    } else {
      this.#began = false;
      this.#end(null, true);
      // undici fails the request, and keeps the socket, which `abort` would close.
      throw new Error('too late');
    }
  }

  /** The headers of an answer are there. */
  takeHeaders(status: number, headers: RawHeaders): void {
    // Interim answers, such as 103: the answer is still to come.
    if (status < 200) return;
    this.#status = status;
    if (this.#isRefused()) this.#retryAfterMs = readRetryAfter(headers, this.#owner.nowMs());
  }

  /** A piece of its content is there. */
  takeContent(chunk: Uint8Array): void {
    const missingBytes = MAX_RESPONSE_BYTES - this.#contentBytes;
    if (missingBytes > 0 && this.#isRefused())
      this.#kept.push(new Uint8Array(chunk.subarray(0, missingBytes)));
    this.#contentBytes += chunk.length;
    this.#contentPieces += 1;
    if (this.#contentBytes > MAX_ANSWER_BYTES || this.#contentPieces > MAX_ANSWER_PIECES)
      this.stop(null);
  }

  /** All of it is there. */
  complete(): void {
    this.#end(null, true);
  }

  /** undici has broken it off. */
  fail(error: Error): void {
    this.#end(isOfLength(error) ? this.#faultOfLength(error) : error, false);
  }

  #faultOfLength(error: Error): Error | null {
    // The headers are at odds with one another.
    if (this.#status === null) return new SendFault('invalid_answer');
    return WITHOUT_CONTENT.has(this.#status) ? null : error;
  }

  /** Anything but a 2xx: only a refusal has something to explain. */
  #isRefused(): boolean {
    return this.#status !== null && this.#status >= 300;
  }

  #end(error: unknown, isReusable: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#owner.ended({
      began: this.#began,
      status: this.#status,
      error,
      response: this.#isRefused() ? toText(this.#kept) : null,
      retryAfterMs: this.#retryAfterMs,
      isReusable,
    });
  }
}

function isOfLength(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}

function readRetryAfter(headers: RawHeaders, nowMs: number): number | null {
  const value = first(headers, 'retry-after');
  if (value === undefined) return null;
  // A date is by the receiver's clock, so it is compared with what that says, if it does.
  const sentAtMs = httpDateMs(first(headers, 'date') ?? '') ?? nowMs;
  return retryAfterMs(value, sentAtMs);
}

/** Without the blanks behind it, which are no part of it (RFC 9110 5.5) and which undici leaves there. */
function first(headers: RawHeaders, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    if (textOf(headers[at]).toLowerCase() === name) return textOf(headers[at + 1]).trimEnd();
  }
  return undefined;
}

function textOf(raw: Uint8Array | string = ''): string {
  return typeof raw === 'string' ? raw : Buffer.from(raw).toString('latin1');
}

/** Decodes as UTF-8, cut to the same bound again: bytes that are no UTF-8 grow when they are replaced. */
function toText(chunks: readonly Uint8Array[]): string {
  if (chunks.length === 0) return '';
  // `stream` leaves out a character that the cut went through.
  const decoded = new TextDecoder().decode(Buffer.concat(chunks), { stream: true });
  const text = decoded.replace(CONTROLS, ' ');
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_RESPONSE_BYTES));
  return text.slice(0, read);
}
