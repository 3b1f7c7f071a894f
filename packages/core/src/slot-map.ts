/**
 * A `Map` for values that come and go by the thousand. It lets go of what is deleted, which a `Map` does not before the
 * next full garbage collection: V8 replaces its table whenever that is used up by deletions, and the old table goes on
 * pointing at what was in it. Once tables are old enough not to be looked at by the frequent collections, all values
 * survive those, and are copied twice. Here the tables hold keys and numbers, and the values are in an array, where
 * each is overwritten.
 *
 * Memory is proportional to the most values that it has held at a time.
 */
export class SlotMap<T> {
  readonly #slots = new Map<string, number>();
  readonly #values: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.size;
  }

  get(key: string): T | undefined {
    const slot = this.#slots.get(key);
    return slot === undefined ? undefined : this.#values[slot];
  }

  /** The key must not be in it yet. */
  add(key: string, value: T): void {
    const slot = this.#free.pop() ?? this.#values.length;
    this.#values[slot] = value;
    this.#slots.set(key, slot);
  }

  /** Answers whether it was in it. */
  delete(key: string): boolean {
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    this.#slots.delete(key);
    this.#values[slot] = undefined;
    this.#free.push(slot);
    return true;
  }
}
