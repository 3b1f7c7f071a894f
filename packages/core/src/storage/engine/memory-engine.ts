import type { Awaitable } from '../../awaitable.ts';
import type { Clock } from '../../ports/clock.ts';
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

interface FindRequest {
  readonly index: string;
  readonly from: string;
  readonly before: string | undefined;
  readonly limit: number;
}

/** What the present transaction of a partition has written: by key, the row before that. */
type Uncommitted = Map<string, Row | null>;

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
  /** By partition. */
  readonly #uncommitted = new Map<string, Uncommitted>();
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
    work: (rows: Rows, nowMs: number) => Awaitable<Result>,
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
    let written = 0;
    for (const { size } of this.#uncommitted.values()) written += size;
    const found = this.#lookUp(index)
      .range(from, before, limit + written)
      .map(({ stored }) => ({ ...stored.row, partition: stored.partition }));
    return written === 0 ? found : this.#committed(found, { index, from, before, limit });
  }

  /** What has been written since is not there yet, and what has been overwritten still is. */
  #committed(
    found: readonly FoundRow[],
    { index, from, before, limit }: FindRequest,
  ): readonly FoundRow[] {
    const rows = found.filter(({ partition, key }) => !this.#uncommitted.get(partition)?.has(key));
    for (const [partition, former] of this.#uncommitted) {
      for (const row of former.values()) {
        const place = row !== null && Object.hasOwn(row.indexes, index) ? row.indexes[index] : null;
        if (row === null || place === null || place === undefined) continue;
        if (place >= from && (before === undefined || place < before))
          rows.push({ ...row, partition });
      }
    }
    const placeOf = ({ indexes }: FoundRow) => indexes[index] ?? '';
    return rows
      .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : Number(placeOf(a) > placeOf(b))))
      .slice(0, limit);
  }

  async now(): Promise<number> {
    return this.#clock.nowMs();
  }

  async #run<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => Awaitable<Result>,
  ): Promise<Result> {
    const nowMs = this.#clock.nowMs();
    this.#forgetExpired(nowMs);
    const former: Uncommitted = new Map();
    this.#uncommitted.set(partition, former);
    try {
      return await work(this.#rows(partition, former), nowMs);
    } catch (error) {
      for (const [key, row] of former) this.#write(partition, key, row);
      throw error;
    } finally {
      this.#uncommitted.delete(partition);
    }
  }

  #rows(name: string, former: Uncommitted): Rows {
    const write = (key: string, row: Row | null): void => {
      const replaced = this.#write(name, key, row);
      if (!former.has(key)) former.set(key, replaced);
    };
    return {
      get: (key) => this.#partitions.get(name)?.rows.get(key)?.row ?? null,
      range: (index, { from = '', before, limit = Infinity } = {}) => {
        const places = this.#partitions.get(name)?.indexes.get(index);
        return places?.range(from, before, limit).map(({ stored }) => stored.row) ?? [];
      },
      put: (row) => write(row.key, copyOf(row)),
      delete: (key) => write(key, null),
    };
  }

  /** Answers the row that was there. */
  #write(name: string, key: string, row: Row | null): Row | null {
    const partition = this.#partitions.get(name) ?? { rows: new Map(), indexes: new Map() };
    const stored = partition.rows.get(key);
    const former = stored?.row ?? null;
    if (stored !== undefined && row !== null && isPlacedAlike(stored.row, row)) {
      stored.row = row;
      return former;
    }
    if (stored !== undefined) this.#remove(partition, stored);
    if (row !== null) this.#add(name, partition, row);
    if (partition.rows.size > 0) this.#partitions.set(name, partition);
    else this.#partitions.delete(name);
    return former;
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

/** A copy of what survives `JSON.stringify`. */
function copyOf<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as Value;
  // An entry at a time, as a member may be named `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, copyOf(member)]),
  ) as Value;
}
