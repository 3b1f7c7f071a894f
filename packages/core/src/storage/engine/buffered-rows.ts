import type { RangeRequest, Row, Rows } from './storage-engine.ts';

/** Rows with a write buffer: writes are only buffered, and reads combine them with the stored rows. */
export class BufferedRows implements Rows {
  /** By key; `null`: deleted. */
  readonly writes: Map<string, Row | null> = new Map();
  readonly #stored: Pick<Rows, 'get' | 'range'>;

  /** @param stored - its ranges may return more than was requested: all rows of the partition, in any order */
  constructor(stored: Pick<Rows, 'get' | 'range'>) {
    this.#stored = stored;
  }

  async get(key: string): Promise<Row | null> {
    const written = this.writes.get(key);
    return written === undefined ? this.#stored.get(key) : written;
  }

  async range(index: string, request: RangeRequest = {}): Promise<readonly Row[]> {
    const { limit = Number.POSITIVE_INFINITY, ...bounds } = request;
    const { from = '', before } = bounds;
    // Some databases reject such a range.
    if (before !== undefined && from >= before) return [];
    // Each buffered write may replace or delete one of the stored rows, so one more row is read for each write.
    const limitOfRead =
      limit === Number.POSITIVE_INFINITY ? {} : { limit: limit + this.writes.size };
    const stored = await this.#stored.range(index, { ...bounds, ...limitOfRead });
    const written = [...this.writes.values()].filter((row) => row !== null);
    return [...stored.filter(({ key }) => !this.writes.has(key)), ...written]
      .filter((row) => isWithin(placeIn(row, index), bounds))
      .sort((a, b) => compare(placeIn(a, index) ?? '', placeIn(b, index) ?? ''))
      .slice(0, limit);
  }

  put(row: Row): void {
    this.writes.set(row.key, copyOf(row));
  }

  delete(key: string): void {
    this.writes.set(key, null);
  }
}

/** Copies a JSON value as JSON would: without undefined members. */
function copyOf<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as Value;
  const copy = { ...value } as Record<string, unknown>;
  for (const name in copy) {
    const member = copy[name];
    if (member === undefined) delete copy[name];
    else if (typeof member === 'object') copy[name] = copyOf(member);
  }
  return copy as Value;
}

function placeIn({ indexes }: Row, index: string): string | undefined {
  return Object.hasOwn(indexes, index) ? indexes[index] : undefined;
}

function isWithin(place: string | undefined, { from = '', before }: RangeRequest): boolean {
  return place !== undefined && place >= from && (before === undefined || place < before);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
