import type { RequestBody } from './messages.ts';

/**
 * The bytes of a body as they come, in one buffer of at most twice their number. Kept apart, chunks of one byte take
 * two hundred times as much, and whoever sends them need not be anybody.
 */
export class BodyBytes {
  #buffer: Uint8Array = new Uint8Array(0);
  #length = 0;

  /** How many have come. */
  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    const before = this.#length;
    this.#length += chunk.length;
    if (before === 0) {
      // Nearly every body for us is one chunk, and needs no copy.
      this.#buffer = chunk;
      return;
    }
    // Always so for the second chunk: the first one's memory may be Node's own.
    if (this.#length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#length, 2 * before));
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, before);
  }

  /** The body that they are, if no more come. Lets go of them. */
  take(): RequestBody {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.clear();
    return bytes.length === 0 ? { kind: 'none' } : { kind: 'raw', bytes };
  }

  clear(): void {
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
  }
}
