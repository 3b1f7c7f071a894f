import type { RangeRequest, Row, Rows, StorageEngine } from '@latchhook/core/storage';

/** What a transaction has written, by key; `null`: deleted. */
export type Writes = ReadonlyMap<string, Row | null>;

/** Rows that are read by `stored`, under what is written: to the buffer alone. */
export class BufferedRows implements Rows {
  readonly writes = new Map<string, Row | null>();
  readonly #stored: Pick<Rows, 'get' | 'range'>;

  constructor(stored: Pick<Rows, 'get' | 'range'>) {
    this.#stored = stored;
  }

  async get(key: string): Promise<Row | null> {
    const own = this.writes.get(key);
    return own === undefined ? this.#stored.get(key) : own;
  }

  async range(index: string, { limit, ...bounds }: RangeRequest = {}): Promise<readonly Row[]> {
    const stored = await this.#stored.range(index, bounds);
    const own = [...this.writes.values()].filter(
      (row) => row !== null && isWithin(row.indexes[index], bounds),
    ) as Row[];
    const placeOf = (row: Row) => row.indexes[index] ?? '';
    return [...stored.filter(({ key }) => !this.writes.has(key)), ...own]
      .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : Number(placeOf(a) > placeOf(b))))
      .slice(0, limit);
  }

  put(row: Row): void {
    this.writes.set(row.key, structuredClone(row));
  }

  delete(key: string): void {
    this.writes.set(key, null);
  }
}

function isWithin(place: string | undefined, { from = '', before }: RangeRequest): boolean {
  return place !== undefined && place >= from && (before === undefined || place < before);
}

export async function write(rows: Rows, writes: Writes): Promise<void> {
  for (const [key, row] of writes) await (row === null ? rows.delete(key) : rows.put(row));
}

/** Reads of a partition, each in a transaction of its own: what was read may be out of date at once. */
export function unlocked(engine: StorageEngine, partition: string): Pick<Rows, 'get' | 'range'> {
  return {
    get: (key) => engine.transact(partition, (rows) => rows.get(key)),
    range: (index, request) => engine.transact(partition, (rows) => rows.range(index, request)),
  };
}
