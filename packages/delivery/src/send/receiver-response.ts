import type { IncomingHttpHeaders } from 'node:http';
import { httpDateMs, retryAfterMs } from './retry-after.ts';

/** How much of a response's content is read. Only its status and headers matter. */
const MAX_CONTENT_BYTES = 65_536;
/** How many chunks of content are read. A small chunk costs the parser as much as a large one. */
const MAX_CONTENT_CHUNKS = 1_024;

/** What is kept of a receiver's response: its status and its `Retry-After`. */
export class ReceiverResponse {
  /** `null`: no response has begun. */
  status: number | null = null;
  retryAfterMs: number | null = null;
  #bytes = 0;
  #chunks = 0;

  /** @param nowMs - the time of the store's clock */
  begin(status: number, headers: IncomingHttpHeaders, nowMs: number): void {
    this.status = status;
    const retryAfter = textOf(headers['retry-after']);
    if (status < 300 || retryAfter === '') return;
    // A date in `Retry-After` is by the receiver's clock, so it is compared with the `Date` header, if there is one.
    this.retryAfterMs = retryAfterMs(retryAfter, httpDateMs(textOf(headers['date'])) ?? nowMs);
  }

  /** @returns whether more content is accepted */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.length;
    this.#chunks += 1;
    return this.#bytes <= MAX_CONTENT_BYTES && this.#chunks <= MAX_CONTENT_CHUNKS;
  }
}

/** The first value without trailing whitespace, which is not part of it (RFC 9110 5.5) but which undici keeps. */
function textOf(header: string | string[] = ''): string {
  return [header].flat()[0]?.trimEnd() ?? '';
}
