/** Large enough that hardly any of it is wasted at its end, and small enough to be taken for a few texts. */
const SLAB_BYTES = 64 * 1024;
/** A longer text gets a slab of its own: with it, too much might be wasted at the end of another. */
const LONGEST_SHARED_BYTES = SLAB_BYTES / 8;

/** A text of {@link TextSlabs}. */
export class StoredText {
  readonly #slab: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(slab: Buffer, start: number, end: number) {
    this.#slab = slab;
    this.#start = start;
    this.#end = end;
  }

  toString(): string {
    return this.#slab.toString('utf8', this.#start, this.#end);
  }
}

/**
 * Texts that are kept for long and read rarely, as UTF-8, one behind the other. As strings, thousands a second would
 * be copied by the garbage collector twice each before it takes them for lasting. A slab is freed once nobody holds a
 * text of it any more.
 */
export class TextSlabs {
  #slab = Buffer.alloc(0);
  #used = 0;

  add(text: string): StoredText {
    const bytes = Buffer.byteLength(text);
    if (bytes > LONGEST_SHARED_BYTES) return new StoredText(Buffer.from(text), 0, bytes);
    if (this.#used + bytes > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#slab.write(text, start);
    return new StoredText(this.#slab, start, this.#used);
  }
}
