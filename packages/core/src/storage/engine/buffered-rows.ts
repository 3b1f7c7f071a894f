import type { RangeRequest, Row, Rows } from './storage-engine.ts';

/** Rows that are read by `stored`, under what is written, which goes to the buffer alone. */
export class BufferedRows implements Rows {
  /** By key; `null`: deleted. */
  readonly writes: Map<string, Row | null> = new Map();
  readonly #stored: Pick<Rows, 'get' | 'range'>;

  /** @param stored - its ranges may have more than was asked for: all rows of the partition, in any order */
  constructor(stored: Pick<Rows, 'get' | 'range'>) {
    this.#stored = stored;
  }

  async get(key: string): Promise<Row | null> {
    const own = this.writes.get(key);
    return own === undefined ? this.#stored.get(key) : own;
  }

  async range(index: string, request: RangeRequest = {}): Promise<readonly Row[]> {
    const { limit = Number.POSITIVE_INFINITY, ...bounds } = request;
    // Those that are written since may be among the first of what is stored.
    const asked = limit === Number.POSITIVE_INFINITY ? {} : { limit: limit + this.writes.size };
    const stored = await this.#stored.range(index, { ...bounds, ...asked });
    const own = [...this.writes.values()].filter((row) => row !== null);
    return [...stored.filter(({ key }) => !this.writes.has(key)), ...own]
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

/** A copy of what JSON can say, as JSON would make it: without members that are undefined. */
function copyOf<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as Value;
  const copy = { ...value } as Record<string, unknown>;
  for (const [name, member] of Object.entries(copy)) {
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
