import type { SqliteDatabase, SqliteStatement } from './sqlite-database.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** A value for a parameter of a statement. */
type SqliteValue = string | number | null;

/**
 * A connection with a cache of prepared statements, which throw only {@link SqliteFault}. A transaction also rethrows
 * the error of its work.
 */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Runs the work in one transaction, which takes the write lock of the file, and rolls it back if the work throws. */
  async transaction<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = await work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  exec(script: string): void {
    withFaults(() => this.#database.exec(script));
  }

  run(text: string, ...values: readonly SqliteValue[]): void {
    withFaults(() => this.#prepare(text).run(...values));
  }

  /** Returns the columns of each row, in the order of the statement, also if the host has configured rows as arrays. */
  all(text: string, ...values: readonly SqliteValue[]): readonly (readonly unknown[])[] {
    const rows = withFaults(() => this.#prepare(text).all(...values));
    return rows.map((row) => Object.values(Object(row)));
  }

  #rollBack(): void {
    try {
      this.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back, as it does if the disk is full, or the connection is closed.
    }
  }

  #prepare(text: string): SqliteStatement {
    const statement = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

function withFaults<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw sqliteFault(error);
  }
}
