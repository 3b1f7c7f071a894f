import type { MaybePromise } from '../../maybe-promise.ts';
import type { Clock } from '../../ports/clock.ts';
import { BufferedRows } from './buffered-rows.ts';
import { sortKeyOf } from './engine-calls.ts';
import { SortedEntries, type SortedEntry } from './sorted-entries.ts';
import type { FoundRow, RangeRequest, Row, Rows, StorageEngine } from './storage-engine.ts';

/** A stored row. */
interface StoredRow {
  readonly partition: string;
  /** Orders rows of the same sort key. */
  readonly tieBreaker: string;
  row: Row;
  /** Its sort keys in indexes. */
  entries: readonly IndexEntry[];
  /** Its sort key among the rows that expire; `null`: it never expires. */
  expiry: Entry | null;
}

/** A sort key of a row. */
interface Entry extends SortedEntry {
  readonly stored: StoredRow;
}

/** A sort key of a row in an index. */
interface IndexEntry extends Entry {
  readonly index: string;
}

/** The rows of a partition, by key and by index. */
interface PartitionRows {
  readonly rows: Map<string, StoredRow>;
  readonly indexes: Map<string, SortedEntries<IndexEntry>>;
}

/** An engine with rows in the memory of this process, for `memoryStorage`. Read it first if you write an engine. */
export function memoryEngine(clock: Clock): StorageEngine {
  return new MemoryEngine(clock);
}

export class MemoryEngine implements StorageEngine {
  readonly name = 'memory';
  readonly #clock: Clock;
  readonly #partitions = new Map<string, PartitionRows>();
  /** By index, the entries of all partitions, for the indexes that `find` has used. */
  readonly #globalIndexes = new Map<string, SortedEntries<IndexEntry>>();
  /** The rows that expire, the first to expire first. */
  readonly #expiries = new SortedEntries<Entry>();
  /** By partition, the last transaction that was started; the next one waits for it. */
  readonly #lastTransactions = new Map<string, Promise<unknown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of rows. */
  get size(): number {
    let size = 0;
    for (const { rows } of this.#partitions.values()) size += rows.size;
    return size;
  }

  transact<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => MaybePromise<Result>,
  ): Promise<Result> {
    const previous = this.#lastTransactions.get(partition);
    const run = () => this.#run(partition, work);
    const transaction = previous === undefined ? run() : previous.then(run, run);
    this.#lastTransactions.set(partition, transaction);
    const cleanUp = () => {
      if (this.#lastTransactions.get(partition) === transaction)
        this.#lastTransactions.delete(partition);
    };
    transaction.then(cleanUp, cleanUp);
    return transaction;
  }

  async find(
    index: string,
    { from = '', before, limit }: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]> {
    return this.#globalIndex(index)
      .range(from, before, limit)
      .map(({ stored }) => ({ partition: stored.partition, ...stored.row }));
  }

  async now(): Promise<number> {
    return this.#clock.nowMs();
  }

  async #run<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => MaybePromise<Result>,
  ): Promise<Result> {
    const nowMs = this.#clock.nowMs();
    this.#deleteExpired(nowMs);
    const rows = new BufferedRows(this.#storedRows(partition));
    const result = await work(rows, nowMs);
    for (const [key, row] of rows.writes) this.#write(partition, key, row);
    return result;
  }

  #storedRows(partition: string): Pick<Rows, 'get' | 'range'> {
    return {
      get: (key) => this.#partitions.get(partition)?.rows.get(key)?.row ?? null,
      range: (index, { from = '', before, limit = Infinity } = {}) => {
        const entries = this.#partitions.get(partition)?.indexes.get(index);
        return entries?.range(from, before, limit).map(({ stored }) => stored.row) ?? [];
      },
    };
  }

  /** Replaces a row, or deletes it if `row` is `null`. Only sort keys that change are sorted again. */
  #write(partition: string, key: string, row: Row | null): void {
    const partitionRows = this.#partitions.get(partition) ?? {
      rows: new Map(),
      indexes: new Map(),
    };
    const { rows, indexes } = partitionRows;
    const stored: StoredRow | null = rows.get(key) ?? (row && newStoredRow(partition, row));
    if (stored === null) return;
    const kept = stored.entries.filter(({ index, sortKey }) => row?.indexes[index] === sortKey);
    for (const entry of stored.entries)
      if (!kept.includes(entry)) this.#removeEntry(indexes, entry);
    const { tieBreaker } = stored;
    const added = Object.entries(row?.indexes ?? {})
      .filter(([index]) => !kept.some((entry) => entry.index === index))
      .map(([index, sortKey]) => ({ index, sortKey, tieBreaker, stored }));
    for (const entry of added) this.#addEntry(indexes, entry);
    stored.entries = [...kept, ...added];
    this.#setExpiry(stored, row?.expiresAtMs ?? null);
    if (row === null) rows.delete(key);
    else {
      stored.row = row;
      rows.set(key, stored);
    }
    if (rows.size > 0) this.#partitions.set(partition, partitionRows);
    else this.#partitions.delete(partition);
  }

  #addEntry(indexes: PartitionRows['indexes'], entry: IndexEntry): void {
    const { index } = entry;
    const entries = indexes.get(index) ?? new SortedEntries();
    indexes.set(index, entries);
    entries.add(entry);
    this.#globalIndexes.get(index)?.add(entry);
  }

  #removeEntry(indexes: PartitionRows['indexes'], entry: IndexEntry): void {
    const { index } = entry;
    const entries = indexes.get(index);
    entries?.remove(entry);
    if (entries?.first === undefined) indexes.delete(index);
    this.#globalIndexes.get(index)?.remove(entry);
  }

  #setExpiry(stored: StoredRow, expiresAtMs: number | null): void {
    const sortKey = expiresAtMs === null ? undefined : sortKeyOf(Math.ceil(expiresAtMs));
    if (stored.expiry?.sortKey === sortKey) return;
    if (stored.expiry !== null) this.#expiries.remove(stored.expiry);
    stored.expiry =
      sortKey === undefined ? null : { sortKey, tieBreaker: stored.tieBreaker, stored };
    if (stored.expiry !== null) this.#expiries.add(stored.expiry);
  }

  /** The entries of an index over all partitions, which are maintained from the first call on. */
  #globalIndex(index: string): SortedEntries<IndexEntry> {
    const existing = this.#globalIndexes.get(index);
    if (existing !== undefined) return existing;
    const sorted = new SortedEntries<IndexEntry>();
    this.#globalIndexes.set(index, sorted);
    for (const { indexes } of this.#partitions.values()) {
      const entries = indexes.get(index);
      for (const entry of entries?.range('', undefined, Infinity) ?? []) sorted.add(entry);
    }
    return sorted;
  }

  #deleteExpired(nowMs: number): void {
    for (;;) {
      const expiring = this.#expiries.first?.stored;
      if (expiring === undefined || Number(expiring.row.expiresAtMs) > nowMs) return;
      this.#write(expiring.partition, expiring.row.key, null);
    }
  }
}

function newStoredRow(partition: string, row: Row): StoredRow {
  return { partition, tieBreaker: `${row.key} ${partition}`, row, entries: [], expiry: null };
}
