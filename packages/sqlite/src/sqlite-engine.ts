import { type Clock, systemClock } from '@latchhook/core';
import {
  assertNames,
  boundedInteger,
  CallDeadline,
  type FoundRow,
  type NamesOf,
  type RangeRequest,
  type Rows,
  rowOf,
  type StorageEngine,
  sqlRange,
  sqlRows,
} from '@latchhook/core/storage';
import { type ConnectionMutex, mutexOf } from './connection-mutex.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { checkedDatabase, type SqliteDatabase } from './sqlite-database.ts';
import { FIND, forgetExpired, partitionStatements, toSqlRow } from './sqlite-statements.ts';

/** The options of {@link sqliteStorage} and {@link sqliteEngine}. */
export interface SqliteStorageOptions {
  /** An open `Database` of better-sqlite3, or a `DatabaseSync` of `node:sqlite`, for exclusive use. */
  readonly database: SqliteDatabase;
  /** How long a call waits for other calls and for other processes, ms. Default: 1000. */
  readonly deadlineMs?: number;
  /** For tests. Default: the system clock. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<SqliteStorageOptions> = { database: true, deadlineMs: true, clock: true };

/**
 * Creates the engine of {@link sqliteStorage}, for your own transitions on its rows.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 */
export function sqliteEngine(options: SqliteStorageOptions): StorageEngine {
  const checked = checkedOptions('sqliteEngine', options);
  checked.database.exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL');
  return new SqliteEngine(checked);
}

/** @param caller - the name of the function with these options, for messages */
export function checkedOptions(
  caller: string,
  options: SqliteStorageOptions,
): Required<SqliteStorageOptions> {
  assertNames(caller, 'options_invalid', options, NAMES);
  return {
    database: checkedDatabase(caller, options.database),
    deadlineMs: boundedInteger(`${caller}.deadlineMs`, options.deadlineMs, 1_000, [1]),
    clock: options.clock ?? systemClock,
  };
}

/** Stores rows in two tables of a file. A transaction takes the write lock of the file when it begins. */
class SqliteEngine implements StorageEngine {
  readonly name = 'sqlite';
  readonly #connection: SqliteConnection;
  readonly #mutex: ConnectionMutex;
  readonly #options: Required<SqliteStorageOptions>;

  constructor(options: Required<SqliteStorageOptions>) {
    this.#connection = new SqliteConnection(options.database);
    this.#mutex = mutexOf(options.database);
    this.#options = options;
  }

  transact<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.#mutex.run(this.#newDeadline(), () =>
      this.#connection.transaction(async () => {
        const nowMs = this.#options.clock.nowMs();
        const rows = sqlRows(partitionStatements(this.#connection, partition));
        const result = await work(rows, nowMs);
        await rows.flush();
        if (rows.hasPut) forgetExpired(this.#connection, nowMs);
        return result;
      }),
    );
  }

  find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]> {
    const { from, before, limit } = sqlRange(request);
    return this.#mutex.run(this.#newDeadline(), () =>
      this.#connection
        .all(FIND, index, from, before, limit)
        .map(([partition, ...row]) => ({ partition: String(partition), ...rowOf(toSqlRow(row)) })),
    );
  }

  async now(): Promise<number> {
    return this.#options.clock.nowMs();
  }

  #newDeadline(): CallDeadline {
    return new CallDeadline('SQLite', this.#options.deadlineMs);
  }
}
