import type { IncomingHttpHeaders } from 'node:http';
import { httpDateMs, retryAfterMs } from './retry-after.ts';

/** How much of an answer's content is read: a receiver has nothing more to tell us. */
const MAX_ANSWER_BYTES = 65_536;
/** In how many pieces. A piece costs the parser the same however small it is. */
const MAX_ANSWER_PIECES = 1_024;

/** What is kept of a receiver's answer: its status, and for how long it asks to be left alone. */
export class Answer {
  /** `null`: none has begun. */
  status: number | null = null;
  retryAfterMs: number | null = null;
  #bytes = 0;
  #pieces = 0;

  /** @param nowMs - by the clock of the store */
  begin(status: number, headers: IncomingHttpHeaders, nowMs: number): void {
    this.status = status;
    const retryAfter = this.#isRejection() ? textOf(headers['retry-after']) : '';
    if (retryAfter === '') return;
    // A date is by the receiver's clock, so it is compared with what that says, if it does.
    this.retryAfterMs = retryAfterMs(retryAfter, httpDateMs(textOf(headers['date'])) ?? nowMs);
  }

  /** @returns whether there may be more of it */
  add(piece: Uint8Array): boolean {
    this.#bytes += piece.length;
    this.#pieces += 1;
    return this.#bytes <= MAX_ANSWER_BYTES && this.#pieces <= MAX_ANSWER_PIECES;
  }

  /** Anything but a 2xx. */
  #isRejection(): boolean {
    return this.status !== null && this.status >= 300;
  }
}

/** The first value, without the blanks behind it, which are no part of it (RFC 9110 5.5) and which undici leaves. */
function textOf(header: string | string[] = ''): string {
  return [header].flat()[0]?.trimEnd() ?? '';
}
