/**
 * A bounded map of recently used entries, in two generations: once the younger holds half of the bound, the older is
 * dropped, and the younger becomes the older. A hit on the older moves the entry to the younger, so entries in use
 * stay; a hit on the younger writes nothing (a true LRU would reorder at every request).
 */
export class RecentCache<Key, Entry> {
  readonly #generationSize: number;
  #younger = new Map<Key, Entry>();
  #older = new Map<Key, Entry>();

  /** @param size - the most entries that are kept: an integer from 2 */
  constructor(size: number) {
    this.#generationSize = Math.floor(size / 2);
  }

  get(key: Key): Entry | undefined {
    const young = this.#younger.get(key);
    if (young !== undefined) return young;
    const old = this.#older.get(key);
    if (old !== undefined) {
      this.#older.delete(key);
      this.set(key, old);
    }
    return old;
  }

  set(key: Key, entry: Entry): void {
    if (this.#younger.size >= this.#generationSize) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(key, entry);
  }

  delete(key: Key): void {
    this.#younger.delete(key);
    this.#older.delete(key);
  }
}
