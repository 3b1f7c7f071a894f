import type { MaybePromise } from '../../maybe-promise.ts';
import { BufferedRows, sortKeyIn } from './buffered-rows.ts';
import type { RangeRequest, Row, Rows } from './storage-engine.ts';

/** How many rows a statement gets at most. */
const MAX_ROWS = 128;
/** How many characters of values a statement with several rows gets at most: servers limit what a packet may have. */
const MAX_CHARACTERS = 262_144;

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

/** The sort key of a row in an index. */
export interface SqlIndexEntry {
  readonly key: string;
  readonly index: string;
  readonly sortKey: string;
}

/**
 * The statements of a transaction on one partition, in two tables: one of rows, and one of the entries of indexes.
 * Each method can be one statement. It gets at least one element, and no key twice.
 */
export interface SqlRowStatements {
  /** Finds the rows with these keys, in any order. */
  find(keys: readonly string[]): MaybePromise<readonly SqlRow[]>;
  range(index: string, range: SqlRange): MaybePromise<readonly SqlRow[]>;

  // Writes, which come after all reads, in this order:

  /** Deletes rows with all of their index entries. */
  delete(keys: readonly string[]): MaybePromise<void>;
  /** Inserts rows, or replaces those with the same keys; their index entries are unchanged. */
  put(rows: readonly SqlRow[]): MaybePromise<void>;
  deleteIndexEntries(entries: readonly SqlIndexEntry[]): MaybePromise<void>;
  /** Inserts index entries, or replaces those of the same row in the same index. */
  putIndexEntries(entries: readonly SqlIndexEntry[]): MaybePromise<void>;
  /** Called after the last write, for an engine that has collected writes in order to send them together. */
  endWrites?(): MaybePromise<void>;
}

/** The rows of a transaction on SQL. */
export interface SqlRows extends Rows {
  /** Whether a row was put. */
  readonly hasPut: boolean;
  /** Sends the writes. Call it once, before the commit. */
  flush(): Promise<void>;
}

/**
 * The rows of a transaction on SQL. Each row is read once; rows that are got at the same time are read by one
 * statement. All writes are sent together; index entries only if they have changed.
 *
 * For authors of engines whose transactions lock their partition before the first read: otherwise a row that was read
 * could be stale.
 */
export function sqlRows(statements: SqlRowStatements): SqlRows {
  return new BufferedSqlRows(statements);
}

class BufferedSqlRows extends BufferedRows implements SqlRows {
  readonly #statements: SqlRowStatements;

  constructor(statements: SqlRowStatements) {
    super({
      get: findTogether(statements),
      range: async (index, request = {}) =>
        (await statements.range(index, sqlRange(request))).map(rowOf),
    });
    this.#statements = statements;
  }

  get hasPut(): boolean {
    for (const row of this.writes.values()) if (row !== null) return true;
    return false;
  }

  async flush(): Promise<void> {
    if (this.writes.size === 0) return;
    const statements = this.#statements;
    const writes = [...this.writes];
    const formers = await Promise.all(writes.map(([key]) => this.stored(key)));
    const puts: SqlRow[] = [];
    const deletes: string[] = [];
    const newEntries: SqlIndexEntry[] = [];
    const oldEntries: SqlIndexEntry[] = [];
    for (const [nth, [key, row]] of writes.entries()) {
      const former = formers[nth] ?? null;
      if (row === null) {
        if (former !== null) deletes.push(key);
        continue;
      }
      puts.push(sqlRowOf(row));
      const isNew = ({ index, sortKey }: SqlIndexEntry) =>
        !former || sortKeyIn(former, index) !== sortKey;
      newEntries.push(...indexEntriesOf(row).filter(isNew));
      const isOld = ({ index }: SqlIndexEntry) => sortKeyIn(row, index) === undefined;
      if (former !== null) oldEntries.push(...indexEntriesOf(former).filter(isOld));
    }
    for (const keys of batches(deletes)) await statements.delete(keys);
    for (const batch of batches(puts, sizeOf)) await statements.put(batch);
    for (const entries of batches(oldEntries)) await statements.deleteIndexEntries(entries);
    for (const entries of batches(newEntries)) await statements.putIndexEntries(entries);
    await statements.endWrites?.();
  }
}

/** Returns a `get` whose calls of the same moment share a statement. */
function findTogether(statements: SqlRowStatements): (key: string) => Promise<Row | null> {
  let waiting: { readonly keys: string[]; readonly found: Promise<readonly Row[]> } | null = null;

  async function findAll(keys: readonly string[]): Promise<readonly Row[]> {
    // By then all calls of this moment have added their keys.
    await Promise.resolve();
    waiting = null;
    const found: Row[] = [];
    for (const batch of batches(keys)) found.push(...(await statements.find(batch)).map(rowOf));
    return found;
  }

  return async (key) => {
    if (waiting === null) {
      const keys: string[] = [];
      waiting = { keys, found: findAll(keys) };
    }
    if (!waiting.keys.includes(key)) waiting.keys.push(key);
    return (await waiting.found).find((row) => row.key === key) ?? null;
  };
}

function indexEntriesOf({ key, indexes }: Row): readonly SqlIndexEntry[] {
  return Object.entries(indexes).map(([index, sortKey]) => ({ key, index, sortKey }));
}

function sizeOf({ value }: SqlRow): number {
  return value.length;
}

/** Splits a list so that each part is small enough for a statement, or has one element. */
function batches<Element>(
  elements: readonly Element[],
  size: (element: Element) => number = () => 0,
): readonly (readonly Element[])[] {
  // Most transactions write one row.
  if (elements.length === 1) return [elements];
  const parts: Element[][] = [];
  let characters = 0;
  for (const element of elements) {
    characters += size(element);
    const part = parts.at(-1);
    if (part === undefined || part.length === MAX_ROWS || characters > MAX_CHARACTERS) {
      parts.push([element]);
      characters = size(element);
    } else part.push(element);
  }
  return parts;
}

/** Sorts after all sort keys, which do not contain this character. */
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
