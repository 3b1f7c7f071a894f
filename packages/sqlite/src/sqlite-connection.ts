import type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite-database.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** A connection with a cache of prepared statements. It throws only {@link SqliteFault}. */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
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
