import type { SqlRange, SqlRow, SqlRowStatements } from './sql-rows.ts';

/** A row that was looked up over all partitions. */
export interface FoundSqlRow extends SqlRow {
  readonly partition: string;
}

/** What {@link lockingEngine} needs of a database: where its connections come from, and what their errors mean. */
export interface LockingDatabase {
  /** Named in warnings and errors: `mariadb`. */
  readonly name: string;
  /** A connection that nobody else uses until it is released or destroyed. Its failure is not tried again. */
  connect(): Promise<LockingConnection>;
  /**
   * `conflict`: the database has ended the transaction in favour of another one, so that nothing of it has committed.
   * `connection_lost`: nobody knows what became of the statement. `rejected`: the database has answered that it did not
   * do what it was asked, so that a commit has committed nothing. All other errors are `other`.
   */
  kindOf(error: unknown): 'conflict' | 'connection_lost' | 'rejected' | 'other';
}

/** A connection, from the pool until it is given back. Its methods are called one after the other. */
export interface LockingConnection {
  /**
   * Begins a transaction, waits for the lock of the partition, and reads the time of the server *then*: many databases
   * answer the time at which the statement, or the transaction, began. One lock may be that of several partitions.
   *
   * @param firstKey - a row that is most likely read. It may be read along with the lock.
   * @returns ms since 1970, whole
   */
  begin(partition: string, firstKey: string | undefined): Promise<number>;
  /** The statements of the transaction. */
  rowsOf(partition: string): SqlRowStatements;
  /** In the transaction: deletes some rows that have expired, of those whose lock it has; a hundred, say. */
  forgetExpired(partition: string, nowMs: number): Promise<void>;
  /**
   * Commits, unless the time of the server is past `untilMs` (ms since 1970): then it rolls back and rejects, as nobody
   * waits for it any more. Compare in the request that commits: it may be long under way.
   */
  commit(untilMs: number): Promise<void>;
  /** Also called where no transaction is open, or none any more. A connection on which it rejects is destroyed. */
  rollback(): Promise<void>;

  /** Outside of a transaction: rows of an index over all partitions, none that has not committed. */
  find(index: string, range: SqlRange): Promise<readonly FoundSqlRow[]>;
  /** Outside of a transaction: the time of the server, ms since 1970, whole. */
  now(): Promise<number>;

  /** Gives it back to the pool. */
  release(): void;
  /** Closes it, even while it waits for an answer. */
  destroy(): void;
}
