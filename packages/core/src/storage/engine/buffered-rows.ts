import type { RangeRequest, Row, Rows } from './storage-engine.ts';

/**
 * Rows with a write buffer: writes are only buffered, and reads combine them with the stored rows. Each stored row is
 * read once.
 */
export class BufferedRows implements Rows {
  /** By key; `null`: deleted. */
  readonly writes: Map<string, Row | null> = new Map();
  readonly #stored: Pick<Rows, 'get' | 'range'>;
  /** By key, the stored rows that were read; `null`: there is none. */
  readonly #read = new Map<string, Row | null>();

  /** @param stored - its ranges may return more than was requested: all rows of the partition, in any order */
  constructor(stored: Pick<Rows, 'get' | 'range'>) {
    this.#stored = stored;
  }

  async get(key: string): Promise<Row | null> {
    const written = this.writes.get(key);
    return written === undefined ? this.stored(key) : written;
  }

  /** The row as it was before this transaction. */
  async stored(key: string): Promise<Row | null> {
    const read = this.#read.get(key);
    if (read !== undefined) return read;
    const row = await this.#stored.get(key);
    this.#read.set(key, row);
    return row;
  }

  async range(index: string, request: RangeRequest = {}): Promise<readonly Row[]> {
    const { limit = Number.POSITIVE_INFINITY, ...bounds } = request;
    const { from = '', before } = bounds;
    // Some databases reject a range that ends before it starts.
    if (before !== undefined && from >= before) return [];
    const limitOfRead =
      limit === Number.POSITIVE_INFINITY
        ? {}
        : { limit: limit + this.#countReplaced(index, bounds) };
    const stored = await this.#stored.range(index, { ...bounds, ...limitOfRead });
    for (const row of stored) this.#read.set(row.key, row);
    const written = [...this.writes.values()].filter((row) => row !== null);
    const rows = [...stored.filter(({ key }) => !this.writes.has(key)), ...written];
    return inOrder(rows, index, bounds).slice(0, limit);
  }

  put(row: Row): void {
    this.writes.set(row.key, copyOf(row, this.#read.get(row.key)));
  }

  delete(key: string): void {
    this.writes.set(key, null);
  }

  /** How many stored rows of the range were replaced or deleted at most: a read returns these in addition. */
  #countReplaced(index: string, bounds: RangeRequest): number {
    let count = 0;
    for (const key of this.writes.keys()) {
      const stored = this.#read.get(key);
      if (stored === null) continue;
      if (stored === undefined || isWithin(sortKeyIn(stored, index), bounds)) count += 1;
    }
    return count;
  }
}

function inOrder(rows: readonly Row[], index: string, bounds: RangeRequest): Row[] {
  return rows
    .filter((row) => isWithin(sortKeyIn(row, index), bounds))
    .sort((a, b) => compare(sortKeyIn(a, index) ?? '', sortKeyIn(b, index) ?? ''));
}

/**
 * Copies a JSON value as JSON would: without undefined members. Members that are the same objects as in the former
 * value are not copied, because they were read from the store.
 */
function copyOf<Value>(value: Value, former?: unknown): Value {
  if (typeof value !== 'object' || value === null || value === former) return value;
  const formerMembers = Object(former) as Record<string, unknown>;
  if (Array.isArray(value)) return value.map((each, i) => copyOf(each, formerMembers[i])) as Value;
  const copy = { ...value } as Record<string, unknown>;
  for (const name in copy) {
    const member = copy[name];
    if (member === undefined) delete copy[name];
    else if (typeof member === 'object') copy[name] = copyOf(member, formerMembers[name]);
  }
  return copy as Value;
}

/** The sort key of the row in an index; `undefined`: it is not in the index. */
export function sortKeyIn({ indexes }: Row, index: string): string | undefined {
  return Object.hasOwn(indexes, index) ? indexes[index] : undefined;
}

function isWithin(sortKey: string | undefined, { from = '', before }: RangeRequest): boolean {
  return sortKey !== undefined && sortKey >= from && (before === undefined || sortKey < before);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
