import type { IncomingHttpHeaders } from 'node:http';
import { MAX_RESPONSE_BYTES } from '@latchhook/core/storage';
import { httpDateMs, retryAfterMs } from './retry-after.ts';

/** How much of an answer's content is read: a receiver has nothing more to tell us. */
const MAX_ANSWER_BYTES = 65_536;
/** In how many pieces. A piece costs the parser the same however small it is. */
const MAX_ANSWER_PIECES = 1_024;

/** Replaced by spaces: in the log, which is JSON, each would take six bytes. */
const CONTROLS = /\p{Cc}/gu;

/** What is kept of a receiver's answer: its status, and what a refusal says. */
export class Answer {
  /** `null`: none has begun. */
  status: number | null = null;
  retryAfterMs: number | null = null;
  readonly #kept: Uint8Array[] = [];
  #bytes = 0;
  #pieces = 0;

  /** @param nowMs - by the clock of the store */
  begin(status: number, headers: IncomingHttpHeaders, nowMs: number): void {
    this.status = status;
    const retryAfter = this.#isRefusal() ? textOf(headers['retry-after']) : '';
    if (retryAfter === '') return;
    // A date is by the receiver's clock, so it is compared with what that says, if it does.
    this.retryAfterMs = retryAfterMs(retryAfter, httpDateMs(textOf(headers['date'])) ?? nowMs);
  }

  /** @returns whether there may be more of it */
  add(piece: Uint8Array): boolean {
    const missingBytes = MAX_RESPONSE_BYTES - this.#bytes;
    if (missingBytes > 0 && this.#isRefusal()) this.#kept.push(piece.subarray(0, missingBytes));
    this.#bytes += piece.length;
    this.#pieces += 1;
    return this.#bytes <= MAX_ANSWER_BYTES && this.#pieces <= MAX_ANSWER_PIECES;
  }

  /** The beginning of a refusal's content; `null` where none began. */
  response(): string | null {
    return this.#isRefusal() ? toText(this.#kept) : null;
  }

  /** Anything but a 2xx: only a refusal has something to explain. */
  #isRefusal(): boolean {
    return this.status !== null && this.status >= 300;
  }
}

/** The first value, without the blanks behind it, which are no part of it (RFC 9110 5.5) and which undici leaves. */
function textOf(header: string | string[] = ''): string {
  return [header].flat()[0]?.trimEnd() ?? '';
}

/** Decodes as UTF-8, cut to the same bound again: bytes that are no UTF-8 grow when they are replaced. */
function toText(pieces: readonly Uint8Array[]): string {
  if (pieces.length === 0) return '';
  // `stream` leaves out a character that the cut went through.
  const decoded = new TextDecoder().decode(Buffer.concat(pieces), { stream: true });
  const text = decoded.replace(CONTROLS, ' ');
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_RESPONSE_BYTES));
  return text.slice(0, read);
}
