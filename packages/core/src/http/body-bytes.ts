import type { RequestBody, UnreadableReason } from './messages.ts';

/**
 * The bytes of a body as they come, up to a bound, in one buffer of at most twice their number. Kept apart, chunks of
 * one byte take two hundred times as much, and anybody can send them.
 */
export class BodyBytes {
  readonly #maxBytes: number;
  #buffer: Uint8Array = new Uint8Array(0);
  #length = 0;
  #isClosed = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns `false`, and drops all, for a chunk that leads past the bound, and for whatever comes after the end.
   */
  add(chunk: Uint8Array): boolean {
    if (this.#length + chunk.length > this.#maxBytes) this.close();
    if (this.#isClosed) return false;
    const before = this.#length;
    this.#length += chunk.length;
    // Nearly every body for us is one chunk, and needs no copy.
    if (before === 0) this.#buffer = chunk;
    else this.#append(chunk, before);
    return true;
  }

  /** Ends it; answers the body that has come. */
  take(): RequestBody {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.close();
    return bytes.length === 0 ? { kind: 'none' } : { kind: 'raw', bytes };
  }

  /** Ends it, and drops what has come. */
  close(): void {
    this.#isClosed = true;
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
  }

  #append(chunk: Uint8Array, before: number): void {
    // Always so for the second chunk: the memory of the first one may be Node's own.
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#length, 2 * before));
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, before);
  }
}

/** A body that was not read, or not to its end. */
export function unreadableBody(reason: UnreadableReason): RequestBody {
  return { kind: 'unreadable', reason };
}
