import type { Awaitable } from '../../awaitable.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Timed, TimeHeap } from '../memory/time-heap.ts';
import type { FoundRow, RangeRequest, Row, Rows, StorageEngine } from './storage-engine.ts';

/** Timed by when it is forgotten. */
interface StoredRow extends Timed {
  readonly partition: string;
  readonly row: Row;
}

/** Rows in the memory of this process: the engine of {@link memoryStorage}, and the one to read first. */
export function memoryEngine(clock: Clock): StorageEngine {
  return new MemoryEngine(clock);
}

class MemoryEngine implements StorageEngine {
  readonly name = 'memory';
  readonly #clock: Clock;
  readonly #partitions = new Map<string, Map<string, StoredRow>>();
  readonly #expiries = new TimeHeap<StoredRow>();
  /** For each partition that is in use, the end of its last transaction. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  transact<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => Awaitable<Result>,
  ): Promise<Result> {
    const before = this.#turns.get(partition) ?? Promise.resolve();
    const turn = before.then(
      () => this.#run(partition, work),
      () => this.#run(partition, work),
    );
    this.#turns.set(partition, turn);
    const leave = () => {
      if (this.#turns.get(partition) === turn) this.#turns.delete(partition);
    };
    turn.then(leave, leave);
    return turn;
  }

  async find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]> {
    const all = [...this.#partitions].flatMap(([partition, rows]) =>
      [...rows.values()].map(({ row }) => ({ ...row, partition })),
    );
    return inRange(all, index, request);
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
    const written = new Map<string, Row | null>();
    const answer = await work(this.#rows(partition, written), nowMs);
    for (const [key, row] of written) this.#write(partition, key, row);
    return answer;
  }

  /** What is stored, under what this transaction has written so far. */
  #rows(partition: string, written: Map<string, Row | null>): Rows {
    const stored = this.#partitions.get(partition);
    return {
      get: (key) => {
        const own = written.get(key);
        return own === undefined ? (stored?.get(key)?.row ?? null) : own;
      },
      range: (index, request = {}) => {
        const rows = [...(stored?.values() ?? [])].map(({ row }) => row);
        const others = rows.filter(({ key }) => !written.has(key));
        const own = [...written.values()].filter((row) => row !== null);
        return inRange([...others, ...own], index, request);
      },
      put: (row) => void written.set(row.key, structuredClone(row)),
      delete: (key) => void written.set(key, null),
    };
  }

  #write(partition: string, key: string, row: Row | null): void {
    const rows = this.#partitions.get(partition) ?? new Map<string, StoredRow>();
    const former = rows.get(key);
    if (former !== undefined) this.#expiries.remove(former);
    rows.delete(key);
    if (row !== null) {
      const stored = { partition, row, atMs: row.expiresAtMs ?? Infinity, heapIndex: 0 };
      rows.set(key, stored);
      this.#expiries.add(stored);
    }
    if (rows.size > 0) this.#partitions.set(partition, rows);
    else this.#partitions.delete(partition);
  }

  #forgetExpired(nowMs: number): void {
    for (let over = this.#expiries.first; over && over.atMs <= nowMs; over = this.#expiries.first) {
      this.#write(over.partition, over.row.key, null);
    }
  }
}

function inRange<Found extends Row>(
  rows: readonly Found[],
  index: string,
  { from = '', before, limit = Infinity }: RangeRequest,
): readonly Found[] {
  const placed = rows.flatMap((row) => {
    const place = Object.hasOwn(row.indexes, index) ? row.indexes[index] : undefined;
    const isWithin =
      place !== undefined && place >= from && (before === undefined || place < before);
    return isWithin ? [{ place, row }] : [];
  });
  placed.sort((a, b) => (a.place < b.place ? -1 : Number(a.place > b.place)));
  return placed.slice(0, limit).map(({ row }) => row);
}
