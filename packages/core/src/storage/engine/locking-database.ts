import type { SqlRange, SqlRow, SqlRowStatements } from './sql-rows.ts';

/** A row that was found over all partitions. */
export interface FoundSqlRow extends SqlRow {
  readonly partition: string;
}

/** The database of {@link lockingEngine}: it opens connections and classifies their errors. */
export interface LockingDatabase {
  /** The name in warnings and errors, such as `mariadb`. */
  readonly name: string;
  /** Resolves to a connection for exclusive use until it is released or destroyed. If it rejects, it is not retried. */
  connect(): Promise<LockingConnection>;
  /**
   * `conflict`: the database has aborted the transaction in favour of another one (a deadlock or serialisation
   * failure), and has committed nothing. `connection_lost`: the result of the statement is unknown. `rejected`: the
   * database has rejected the statement, so that a rejected commit has committed nothing. All other errors are `other`.
   */
  kindOf(error: unknown): 'conflict' | 'connection_lost' | 'rejected' | 'other';
}

/** A connection until it is returned to the pool. Its methods are called one after the other. */
export interface LockingConnection {
  /**
   * Begins a transaction, waits for the lock of the partition, and reads the time of the server *after that*: many
   * databases return the time at which the statement or the transaction began. Several partitions may share a lock.
   *
   * @param firstKey - the key of a row that will most likely be read; it may be read along with the lock
   * @returns the time in whole ms since 1970
   */
  begin(partition: string, firstKey: string | undefined): Promise<number>;
  /** The statements of the transaction. */
  rowsOf(partition: string): SqlRowStatements;
  /**
   * Called after the writes of the transaction: deletes some expired rows, a hundred for example, from the partitions
   * that share the lock of `partition`.
   */
  forgetExpired(partition: string, nowMs: number): Promise<void>;
  /**
   * Commits, unless the time of the server is past `untilMs` (ms since 1970): then it rolls back and rejects, because
   * nobody waits for the result any more. Compare the time in the same request as the commit: the request itself may
   * take long to arrive.
   */
  commit(untilMs: number): Promise<void>;
  /** Also called without an open transaction. If it rejects, the connection is destroyed. */
  rollback(): Promise<void>;

  /** Outside of a transaction: finds committed rows of an index over all partitions. */
  find(index: string, range: SqlRange): Promise<readonly FoundSqlRow[]>;
  /** Outside of a transaction: the time of the server, in whole ms since 1970. */
  now(): Promise<number>;

  /** Returns the connection to the pool. */
  release(): void;
  /** Closes the connection, even while a statement is running. */
  destroy(): void;
}
