import type { Clock } from '@latchhook/core';
import {
  CallDeadline,
  type FoundRow,
  type RangeRequest,
  type Rows,
  rowOf,
  type StorageEngine,
  sqlRange,
  sqlRows,
} from '@latchhook/core/storage';
import { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { FIND, forgetExpired, partitionStatements, sqlRowIn } from './sqlite-statements.ts';
import { type Turns, turnsOf } from './turns.ts';

export interface SqliteEngineOptions {
  readonly deadlineMs: number;
  readonly clock: Clock;
}

/** Rows in two tables of a file. SQLite has one lock, which a transaction holds from its begin. */
export class SqliteEngine implements StorageEngine {
  readonly name = 'sqlite';
  readonly #connection: SqliteConnection;
  readonly #turns: Turns;
  readonly #options: SqliteEngineOptions;

  constructor(database: SqliteDatabase, options: SqliteEngineOptions) {
    this.#connection = new SqliteConnection(database);
    this.#turns = turnsOf(database);
    this.#options = options;
  }

  transact<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.#turns.take(this.#newDeadline(), async () => {
      this.#connection.exec('BEGIN IMMEDIATE');
      try {
        const nowMs = this.#options.clock.nowMs();
        const statements = partitionStatements(this.#connection, partition);
        const result = await work(sqlRows(statements), nowMs);
        if (statements.hasPut) forgetExpired(this.#connection, nowMs);
        this.#connection.exec('COMMIT');
        return result;
      } catch (error) {
        this.#rollBack();
        throw error;
      }
    });
  }

  find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]> {
    const { from, before, limit } = sqlRange(request);
    return this.#turns.take(this.#newDeadline(), () =>
      this.#connection
        .all(FIND, index, from, before, limit)
        .map(([partition, ...row]) => ({ partition: String(partition), ...rowOf(sqlRowIn(row)) })),
    );
  }

  async now(): Promise<number> {
    return this.#options.clock.nowMs();
  }

  #newDeadline(): CallDeadline {
    return new CallDeadline('SQLite', this.#options.deadlineMs);
  }

  #rollBack(): void {
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back already, as it does where the disk is full, or the connection is closed.
    }
  }
}
