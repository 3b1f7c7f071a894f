import type { MaybePromise } from '../../maybe-promise.ts';
import type { RangeRequest, Row, Rows } from './storage-engine.ts';

/** A row as it is in a table. Value and indexes are JSON of ASCII alone, so that no character set can change them. */
export interface SqlRow {
  readonly key: string;
  readonly value: string;
  readonly indexes: string;
  readonly expiresAtMs: number | null;
}

/** {@link RangeRequest} with both ends, which one statement serves. */
export interface SqlRange {
  readonly from: string;
  readonly before: string;
  /** Infinite where all are asked for. */
  readonly limit: number;
}

/** What a transaction asks of one partition in two tables, of rows and of their places. Each is one statement. */
export interface SqlRowStatements {
  find(key: string): MaybePromise<SqlRow | null>;
  range(index: string, range: SqlRange): MaybePromise<readonly SqlRow[]>;
  /** In place of the row with this key, if there is one; its places stay. */
  put(row: SqlRow): MaybePromise<void>;
  /** The row, and all of its places. */
  delete(key: string): MaybePromise<void>;
  /** At least one, each in place of that in the same index. */
  putPlaces(
    key: string,
    places: readonly (readonly [index: string, place: string])[],
  ): MaybePromise<void>;
  /** At least one. */
  deletePlaces(key: string, indexes: readonly string[]): MaybePromise<void>;
}

/**
 * The rows of a transaction on SQL. It remembers what it has read, so that a row is read once, and a row whose places
 * stay is put by one statement.
 *
 * For authors of engines whose transactions lock their partition before the first read.
 */
export function sqlRows(statements: SqlRowStatements): Rows {
  const known = new Map<string, SqlRow | null>();

  async function find(key: string): Promise<SqlRow | null> {
    const read = known.get(key);
    if (read !== undefined) return read;
    const row = await statements.find(key);
    known.set(key, row);
    return row;
  }

  return {
    async get(key) {
      const row = await find(key);
      return row === null ? null : rowOf(row);
    },

    async range(index, request = {}) {
      const rows = await statements.range(index, sqlRange(request));
      for (const row of rows) known.set(row.key, row);
      return rows.map(rowOf);
    },

    async put(row) {
      const former = await find(row.key);
      const places = former === null ? {} : indexesOf(former);
      const stored = sqlRowOf(row);
      await statements.put(stored);
      known.set(row.key, stored);
      const left = Object.keys(places).filter((index) => !Object.hasOwn(row.indexes, index));
      if (left.length > 0) await statements.deletePlaces(row.key, left);
      const moved = Object.entries(row.indexes).filter(([index, place]) => places[index] !== place);
      if (moved.length > 0) await statements.putPlaces(row.key, moved);
    },

    async delete(key) {
      if (known.get(key) === null) return;
      await statements.delete(key);
      known.set(key, null);
    },
  };
}

/** Sorts after all places: they have none of its character. */
const BEHIND_ALL = '~';

/** The request with all that may be left out. */
export function sqlRange({
  from = '',
  before = BEHIND_ALL,
  limit = Number.POSITIVE_INFINITY,
}: RangeRequest): SqlRange {
  return { from, before, limit };
}

/** The row that was stored as this. */
export function rowOf(stored: SqlRow): Row {
  const { key, value, expiresAtMs } = stored;
  return { key, value: JSON.parse(value), indexes: indexesOf(stored), expiresAtMs };
}

/** As it is stored. */
export function sqlRowOf({ key, value, indexes, expiresAtMs }: Row): SqlRow {
  return { key, value: asciiJson(value), indexes: asciiJson(indexes), expiresAtMs };
}

function indexesOf({ indexes }: SqlRow): Readonly<Record<string, string>> {
  return JSON.parse(indexes);
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
