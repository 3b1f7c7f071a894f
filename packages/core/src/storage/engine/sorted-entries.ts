/** The largest size of a chunk. Adding or removing an entry moves at most as many others. */
const CHUNK = 512;

/** An entry. All entries of a list have keys of the same type. */
export interface SortedEntry {
  readonly sortKey: string | number;
  readonly tieBreaker: string | number;
}

/**
 * Entries sorted by sort key, and those of one sort key by tie-breaker. Adding or removing one takes O(log n), and
 * moves the entries of one chunk.
 */
export class SortedEntries<Entry extends SortedEntry> {
  /** Non-empty chunks, in order. */
  readonly #chunks: Entry[][] = [];

  /** `undefined`: there are no entries. */
  get first(): Entry | undefined {
    return this.#chunks[0]?.[0];
  }

  add(entry: Entry): void {
    const i = Math.max(0, this.#chunkAfter(entry) - 1);
    const chunk = this.#chunks[i];
    if (chunk === undefined) {
      this.#chunks.push([entry]);
      return;
    }
    chunk.splice(firstNotBefore(chunk, entry), 0, entry);
    if (chunk.length > CHUNK) this.#chunks.splice(i + 1, 0, chunk.splice(CHUNK / 2));
  }

  remove(entry: Entry): void {
    const i = Math.max(0, this.#chunkAfter(entry) - 1);
    const chunk = this.#chunks[i];
    if (chunk === undefined) return;
    const at = firstNotBefore(chunk, entry);
    if (chunk[at] !== entry) return;
    chunk.splice(at, 1);
    if (chunk.length === 0) this.#chunks.splice(i, 1);
  }

  /** The entries from the sort key `from` up to the sort key `before` (exclusive), at most `limit`. */
  range(from: Entry['sortKey'], before: Entry['sortKey'] | undefined, limit: number): Entry[] {
    const entries: Entry[] = [];
    const start = { sortKey: from, tieBreaker: typeof from === 'string' ? '' : -Infinity };
    const firstChunk = Math.max(0, this.#chunkAfter(start) - 1);
    for (let i = firstChunk; i < this.#chunks.length; i += 1) {
      const chunk = this.#chunks[i] ?? [];
      for (
        let at = i === firstChunk ? firstNotBefore(chunk, start) : 0;
        at < chunk.length;
        at += 1
      ) {
        const entry = chunk[at];
        if (entry === undefined || entries.length >= limit) return entries;
        if (before !== undefined && entry.sortKey >= before) return entries;
        entries.push(entry);
      }
    }
    return entries;
  }

  /** The index of the first chunk whose entries all come after this one. */
  #chunkAfter(entry: SortedEntry): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && isBefore(entry, first)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function firstNotBefore(chunk: readonly SortedEntry[], entry: SortedEntry): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const middleEntry = chunk[middle];
    if (middleEntry !== undefined && isBefore(middleEntry, entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBefore(a: SortedEntry, b: SortedEntry): boolean {
  return a.sortKey < b.sortKey || (a.sortKey === b.sortKey && a.tieBreaker < b.tieBreaker);
}
