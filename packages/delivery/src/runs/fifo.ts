interface Link<T> {
  readonly value: T;
  next: Link<T> | null;
}

/**
 * First in, first out. Every operation takes constant time: a `Set` looks for its first behind the holes of all that
 * have left, which for a hundred thousand comes to a second.
 */
export class Fifo<T> {
  #first: Link<T> | null = null;
  #last: Link<T> | null = null;

  get isEmpty(): boolean {
    return this.#first === null;
  }

  /** The one that came first. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): void {
    const link = { value, next: null };
    if (this.#last === null) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
  }

  /** Takes out the one that came first. */
  take(): T | undefined {
    const link = this.#first;
    if (link === null) return undefined;
    this.#first = link.next;
    if (link.next === null) this.#last = null;
    // Otherwise all that came later would survive for as long as nobody has collected this one.
    link.next = null;
    return link.value;
  }

  /** All that are in it, the first to have come first. */
  *[Symbol.iterator](): Generator<T, void> {
    for (let link = this.#first; link !== null; link = link.next) yield link.value;
  }
}
