import type { MaybePromise } from '../../maybe-promise.ts';
import type { RangeRequest, Row, Rows } from './storage-engine.ts';

/** A row of the table. Value and indexes are ASCII-only JSON, so that no character set can change them. */
export interface SqlRow {
  readonly key: string;
  readonly value: string;
  readonly indexes: string;
  readonly expiresAtMs: number | null;
}

/** {@link RangeRequest} with both bounds, so that one statement serves all requests. */
export interface SqlRange {
  readonly from: string;
  readonly before: string;
  /** Infinite: all rows. */
  readonly limit: number;
}

/**
 * The statements of a transaction on one partition, in two tables: one of rows, and one of their places (sort keys) in
 * indexes. Each method is one statement.
 */
export interface SqlRowStatements {
  find(key: string): MaybePromise<SqlRow | null>;
  range(index: string, range: SqlRange): MaybePromise<readonly SqlRow[]>;
  /** Inserts or replaces the row with this key; its places are unchanged. */
  put(row: SqlRow): MaybePromise<void>;
  /** Deletes the row and all of its places. */
  delete(key: string): MaybePromise<void>;
  /** Inserts or replaces at least one place of the row, each in another index. */
  putPlaces(
    key: string,
    places: readonly (readonly [index: string, place: string])[],
  ): MaybePromise<void>;
  /** Deletes the places of the row in at least one index. */
  deletePlaces(key: string, indexes: readonly string[]): MaybePromise<void>;
}

/**
 * The rows of a transaction on SQL. It caches the rows that it has read, so that each is read once, and a row whose
 * places are unchanged is written by one statement.
 *
 * For authors of engines whose transactions lock their partition before the first read: otherwise the cache could be
 * stale.
 */
export function sqlRows(statements: SqlRowStatements): Rows {
  const cache = new Map<string, SqlRow | null>();

  async function find(key: string): Promise<SqlRow | null> {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const row = await statements.find(key);
    cache.set(key, row);
    return row;
  }

  return {
    async get(key) {
      const row = await find(key);
      return row === null ? null : rowOf(row);
    },

    async range(index, request = {}) {
      const rows = await statements.range(index, sqlRange(request));
      for (const row of rows) cache.set(row.key, row);
      return rows.map(rowOf);
    },

    async put(row) {
      const former = await find(row.key);
      const places = former === null ? {} : indexesOf(former);
      const stored = sqlRowOf(row);
      await statements.put(stored);
      cache.set(row.key, stored);
      const removedIndexes = Object.keys(places).filter(
        (index) => !Object.hasOwn(row.indexes, index),
      );
      if (removedIndexes.length > 0) await statements.deletePlaces(row.key, removedIndexes);
      const changedPlaces = Object.entries(row.indexes).filter(
        ([index, place]) => places[index] !== place,
      );
      if (changedPlaces.length > 0) await statements.putPlaces(row.key, changedPlaces);
    },

    async delete(key) {
      if (cache.get(key) === null) return;
      await statements.delete(key);
      cache.set(key, null);
    },
  };
}

/** Sorts after all places, which do not contain this character. */
const AFTER_ALL = '~';

/** The request with defaults for absent bounds. */
export function sqlRange({
  from = '',
  before = AFTER_ALL,
  limit = Number.POSITIVE_INFINITY,
}: RangeRequest): SqlRange {
  return { from, before, limit };
}

/** Parses a stored row. */
export function rowOf(stored: SqlRow): Row {
  const { key, value, expiresAtMs } = stored;
  return { key, value: JSON.parse(value), indexes: indexesOf(stored), expiresAtMs };
}

/** Serialises a row. */
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
