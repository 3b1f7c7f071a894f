import type { MaybePromise } from '../../maybe-promise.ts';
import type { Clock } from '../../ports/clock.ts';
import { BufferedRows } from './buffered-rows.ts';
import { type Placed, SortedPlaces } from './sorted-places.ts';
import type { FoundRow, RangeRequest, Row, Rows, StorageEngine } from './storage-engine.ts';
import { type Timed, TimeHeap } from './time-heap.ts';

/** Timed by when it is forgotten. */
interface StoredRow extends Timed {
  readonly partition: string;
  row: Row;
  readonly places: readonly IndexEntry[];
}

interface IndexEntry extends Placed {
  readonly index: string;
  readonly stored: StoredRow;
}

/** The rows of a partition, and who waits for its present transaction. */
interface Partition {
  readonly rows: Map<string, StoredRow>;
  readonly indexes: Map<string, SortedPlaces<IndexEntry>>;
}

/** Rows in the memory of this process: what `memoryStorage` keeps logins in, and the engine to read first. */
export function memoryEngine(clock: Clock): StorageEngine {
  return new MemoryEngine(clock);
}

export class MemoryEngine implements StorageEngine {
  readonly name = 'memory';
  readonly #clock: Clock;
  readonly #partitions = new Map<string, Partition>();
  /** Over all partitions: of the indexes that were looked up so. */
  readonly #overAll = new Map<string, SortedPlaces<IndexEntry>>();
  readonly #expiries = new TimeHeap<StoredRow>();
  /** For each partition that is in use, the end of its last transaction. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many rows there are. */
  get size(): number {
    let size = 0;
    for (const { rows } of this.#partitions.values()) size += rows.size;
    return size;
  }

  transact<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => MaybePromise<Result>,
  ): Promise<Result> {
    const before = this.#turns.get(partition);
    const run = () => this.#run(partition, work);
    const turn = before === undefined ? run() : before.then(run, run);
    this.#turns.set(partition, turn);
    const leave = () => {
      if (this.#turns.get(partition) === turn) this.#turns.delete(partition);
    };
    turn.then(leave, leave);
    return turn;
  }

  async find(
    index: string,
    { from = '', before, limit }: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]> {
    return this.#lookUp(index)
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
    this.#forgetExpired(nowMs);
    const rows = new BufferedRows(this.#stored(partition));
    const result = await work(rows, nowMs);
    for (const [key, row] of rows.writes) this.#write(partition, key, row);
    return result;
  }

  #stored(name: string): Pick<Rows, 'get' | 'range'> {
    return {
      get: (key) => this.#partitions.get(name)?.rows.get(key)?.row ?? null,
      range: (index, { from = '', before, limit = Infinity } = {}) => {
        const places = this.#partitions.get(name)?.indexes.get(index);
        return places?.range(from, before, limit).map(({ stored }) => stored.row) ?? [];
      },
    };
  }

  #write(name: string, key: string, row: Row | null): void {
    const partition = this.#partitions.get(name) ?? { rows: new Map(), indexes: new Map() };
    const stored = partition.rows.get(key);
    if (stored !== undefined && row !== null && isPlacedAlike(stored.row, row)) {
      stored.row = row;
      return;
    }
    if (stored !== undefined) this.#remove(partition, stored);
    if (row !== null) this.#add(name, partition, row);
    if (partition.rows.size > 0) this.#partitions.set(name, partition);
    else this.#partitions.delete(name);
  }

  #add(name: string, { rows, indexes }: Partition, row: Row): void {
    const places: IndexEntry[] = [];
    const stored = {
      partition: name,
      row,
      places,
      atMs: row.expiresAtMs ?? Infinity,
      heapIndex: 0,
    };
    rows.set(row.key, stored);
    if (row.expiresAtMs !== null) this.#expiries.add(stored);
    for (const [index, place] of Object.entries(row.indexes)) {
      const entry = { index, place, name: `${row.key} ${name}`, stored };
      places.push(entry);
      const within = indexes.get(index) ?? new SortedPlaces();
      indexes.set(index, within);
      within.add(entry);
      this.#overAll.get(index)?.add(entry);
    }
  }

  #remove({ rows, indexes }: Partition, stored: StoredRow): void {
    rows.delete(stored.row.key);
    if (stored.row.expiresAtMs !== null) this.#expiries.remove(stored);
    for (const entry of stored.places) {
      const within = indexes.get(entry.index);
      within?.remove(entry);
      if (within?.isEmpty) indexes.delete(entry.index);
      this.#overAll.get(entry.index)?.remove(entry);
    }
  }

  /** Kept from the first look on. */
  #lookUp(index: string): SortedPlaces<IndexEntry> {
    const known = this.#overAll.get(index);
    if (known !== undefined) return known;
    const places = new SortedPlaces<IndexEntry>();
    this.#overAll.set(index, places);
    for (const { indexes } of this.#partitions.values()) {
      const within = indexes.get(index);
      for (const entry of within?.range('', undefined, Infinity) ?? []) places.add(entry);
    }
    return places;
  }

  #forgetExpired(nowMs: number): void {
    for (let over = this.#expiries.first; over && over.atMs <= nowMs; over = this.#expiries.first) {
      this.#write(over.partition, over.row.key, null);
    }
  }
}

/** Whether a row can take the place of another without being moved. */
function isPlacedAlike(former: Row, row: Row): boolean {
  if (former.expiresAtMs !== row.expiresAtMs) return false;
  const indexes = Object.keys(row.indexes);
  if (indexes.length !== Object.keys(former.indexes).length) return false;
  return indexes.every((index) => row.indexes[index] === former.indexes[index]);
}
