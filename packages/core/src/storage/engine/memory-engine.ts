import type { MaybePromise } from '../../maybe-promise.ts';
import type { Clock } from '../../ports/clock.ts';
import { BufferedRows } from './buffered-rows.ts';
import { placeOf } from './engine-calls.ts';
import { type Placed, SortedPlaces } from './sorted-places.ts';
import type { FoundRow, RangeRequest, Row, Rows, StorageEngine } from './storage-engine.ts';

/** A stored row. Its place is its expiry; a row that never expires has none. */
interface StoredRow extends Placed {
  readonly partition: string;
  row: Row;
  readonly entries: readonly IndexEntry[];
}

/** A place of a row in an index. */
interface IndexEntry extends Placed {
  readonly index: string;
  readonly stored: StoredRow;
}

/** The rows of a partition, by key and by index. */
interface PartitionRows {
  readonly rows: Map<string, StoredRow>;
  readonly indexes: Map<string, SortedPlaces<IndexEntry>>;
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
  readonly #globalIndexes = new Map<string, SortedPlaces<IndexEntry>>();
  /** The rows that expire, the first to expire first. */
  readonly #expiries = new SortedPlaces<StoredRow>();
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
      .map(({ stored }) => ({ ...stored.row, partition: stored.partition }));
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
        const places = this.#partitions.get(partition)?.indexes.get(index);
        return places?.range(from, before, limit).map(({ stored }) => stored.row) ?? [];
      },
    };
  }

  #write(partition: string, key: string, row: Row | null): void {
    const partitionRows = this.#partitions.get(partition) ?? {
      rows: new Map(),
      indexes: new Map(),
    };
    const stored = partitionRows.rows.get(key);
    if (stored !== undefined && row !== null && hasSamePlaces(stored.row, row)) {
      stored.row = row;
      return;
    }
    if (stored !== undefined) this.#remove(partitionRows, stored);
    if (row !== null) this.#add(partition, partitionRows, row);
    if (partitionRows.rows.size > 0) this.#partitions.set(partition, partitionRows);
    else this.#partitions.delete(partition);
  }

  #add(partition: string, { rows, indexes }: PartitionRows, row: Row): void {
    const { expiresAtMs } = row;
    // Orders rows of the same place.
    const name = `${row.key} ${partition}`;
    const entries: IndexEntry[] = [];
    const place = expiresAtMs === null ? '' : placeOf(Math.ceil(expiresAtMs));
    const stored = { partition, row, place, name, entries };
    rows.set(row.key, stored);
    if (expiresAtMs !== null) this.#expiries.add(stored);
    for (const [index, placeInIndex] of Object.entries(row.indexes)) {
      const entry = { index, place: placeInIndex, name, stored };
      entries.push(entry);
      const places = indexes.get(index) ?? new SortedPlaces();
      indexes.set(index, places);
      places.add(entry);
      this.#globalIndexes.get(index)?.add(entry);
    }
  }

  #remove({ rows, indexes }: PartitionRows, stored: StoredRow): void {
    rows.delete(stored.row.key);
    if (stored.row.expiresAtMs !== null) this.#expiries.remove(stored);
    for (const entry of stored.entries) {
      const places = indexes.get(entry.index);
      places?.remove(entry);
      if (places?.first === undefined) indexes.delete(entry.index);
      this.#globalIndexes.get(entry.index)?.remove(entry);
    }
  }

  /** The entries of an index over all partitions, which are maintained from the first call on. */
  #globalIndex(index: string): SortedPlaces<IndexEntry> {
    const existing = this.#globalIndexes.get(index);
    if (existing !== undefined) return existing;
    const places = new SortedPlaces<IndexEntry>();
    this.#globalIndexes.set(index, places);
    for (const { indexes } of this.#partitions.values()) {
      const entries = indexes.get(index);
      for (const entry of entries?.range('', undefined, Infinity) ?? []) places.add(entry);
    }
    return places;
  }

  #deleteExpired(nowMs: number): void {
    for (;;) {
      const { first } = this.#expiries;
      if (first === undefined || Number(first.row.expiresAtMs) > nowMs) return;
      this.#write(first.partition, first.row.key, null);
    }
  }
}

/** Whether a row has the same expiry and places as the row that it replaces, so that nothing has to be sorted again. */
function hasSamePlaces(former: Row, row: Row): boolean {
  if (former.expiresAtMs !== row.expiresAtMs) return false;
  const indexes = Object.keys(row.indexes);
  if (indexes.length !== Object.keys(former.indexes).length) return false;
  return indexes.every((index) => row.indexes[index] === former.indexes[index]);
}
