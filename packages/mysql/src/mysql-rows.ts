import type { SqlIndexEntry, SqlRange, SqlRow, SqlRowStatements } from '@latchhook/core/storage';
import type { MysqlSession } from './mysql-session.ts';
import {
  deleteIndexEntriesStatement,
  deleteStatement,
  findStatement,
  MAX_WRITES,
  putAndCommitStatement,
  putIndexEntriesStatement,
  putStatement,
  rangeStatement,
  toSqlRow,
  writeAndCommitStatement,
} from './mysql-statements.ts';

/** A transaction that has begun. */
interface BegunTransaction {
  readonly partition: string;
  readonly stripe: number;
  /** The row that was read along with the lock; null if no row has the key. */
  readonly firstRow: { readonly key: string; readonly row: SqlRow | null };
}

/** How many characters of statements the commit sends at most. */
const MAX_CHARACTERS = 1_048_576;

/** The statements of a transaction on one partition. The writes are sent together with the commit. */
export class MysqlRows implements SqlRowStatements {
  readonly #session: MysqlSession;
  readonly #partition: string;
  readonly #stripe: number;
  readonly #firstRow: BegunTransaction['firstRow'];
  /** Statements that the commit sends. */
  readonly #writes: string[] = [];
  /** The row of a transaction that has put one row, and nothing else: a quicker procedure puts it and commits. */
  #onlyRow: SqlRow | undefined;

  constructor(session: MysqlSession, { partition, stripe, firstRow }: BegunTransaction) {
    this.#session = session;
    this.#partition = partition;
    this.#stripe = stripe;
    this.#firstRow = firstRow;
  }

  async find(keys: readonly string[]): Promise<readonly SqlRow[]> {
    // A transaction reads each row only once, before it writes, so the first row is still current.
    const first = this.#firstRow;
    const otherKeys = keys.filter((key) => key !== first.key);
    const found = otherKeys.length < keys.length && first.row !== null ? [first.row] : [];
    if (otherKeys.length === 0) return found;
    const others = await this.#session.query(findStatement(this.#partition, otherKeys));
    return [...found, ...others.map(toSqlRow)];
  }

  async range(index: string, range: SqlRange): Promise<readonly SqlRow[]> {
    const rows = await this.#session.query(rangeStatement(this.#partition, index, range));
    return rows.map(toSqlRow);
  }

  delete(keys: readonly string[]): Promise<void> {
    return this.write(deleteStatement(this.#partition, keys));
  }

  async put(rows: readonly SqlRow[]): Promise<void> {
    const [row] = rows;
    const isFirst = this.#writes.length === 0 && this.#onlyRow === undefined;
    if (isFirst && rows.length === 1) this.#onlyRow = row;
    else await this.write(putStatement(this.#partition, this.#stripe, rows));
  }

  deleteIndexEntries(entries: readonly SqlIndexEntry[]): Promise<void> {
    return this.write(deleteIndexEntriesStatement(this.#partition, entries));
  }

  putIndexEntries(entries: readonly SqlIndexEntry[]): Promise<void> {
    return this.write(putIndexEntriesStatement(this.#partition, entries));
  }

  /** Collects a statement, which the commit sends. */
  async write(statement: string): Promise<void> {
    if (this.#onlyRow !== undefined) {
      this.#writes.push(putStatement(this.#partition, this.#stripe, [this.#onlyRow]));
      this.#onlyRow = undefined;
    }
    const length = this.#writes.reduce((sum, text) => sum + text.length, statement.length);
    if (this.#writes.length === MAX_WRITES || length > MAX_CHARACTERS) {
      for (const earlier of this.#writes.splice(0)) await this.#session.query(earlier);
    }
    this.#writes.push(statement);
  }

  async commit(untilMs: number): Promise<void> {
    await this.#session.query(
      this.#onlyRow === undefined
        ? writeAndCommitStatement(this.#writes, untilMs)
        : putAndCommitStatement(this.#partition, this.#stripe, this.#onlyRow, untilMs),
    );
  }
}
