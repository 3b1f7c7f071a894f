import type { RequestBody, UnreadableReason } from './messages.ts';

/**
 * Collects the bytes of a body, up to a limit, in one buffer of at most twice their number. A list of chunks would need
 * far more memory for chunks of one byte, which anybody can send.
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
   * Returns `false`, and drops all bytes, if the chunk exceeds the limit; returns `false` for any chunk after the end.
   */
  add(chunk: Uint8Array): boolean {
    if (this.#length + chunk.length > this.#maxBytes) this.close();
    if (this.#isClosed) return false;
    const offset = this.#length;
    this.#length += chunk.length;
    // Nearly every body of a request to Latchhook is one chunk, and needs no copy.
    if (offset === 0) this.#buffer = chunk;
    else this.#append(chunk, offset);
    return true;
  }

  /** Ends the body, and returns it. */
  take(): RequestBody {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.close();
    return bytes.length === 0 ? { kind: 'none' } : { kind: 'raw', bytes };
  }

  /** Ends the body, and drops its bytes. */
  close(): void {
    this.#isClosed = true;
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
  }

  #append(chunk: Uint8Array, offset: number): void {
    // Always true for the second chunk: the memory of the first may belong to Node, and must not be written to.
    if (this.#length > this.#buffer.length) {
      const largerBuffer = Buffer.allocUnsafeSlow(Math.max(this.#length, 2 * offset));
      largerBuffer.set(this.#buffer);
      this.#buffer = largerBuffer;
    }
    this.#buffer.set(chunk, offset);
  }
}

/** A body that was not read to its end. */
export function unreadableBody(reason: UnreadableReason): RequestBody {
  return { kind: 'unreadable', reason };
}
