import type { CallDeadline } from '@latchhook/core/storage';

export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement at a time. */
export interface Queryable {
  /** @param text - one statement, with `$1`, `$2` and so on for the values. */
  query(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

/** A PostgreSQL database: the only part of a driver that this package depends on. */
export interface Database {
  /**
   * Runs one statement, on any connection, as its own transaction.
   *
   * @throws {StorageUnavailableError} if the deadline passes. The statement may still run.
   */
  query(text: string, values: readonly unknown[], deadline: CallDeadline): Promise<readonly Row[]>;

  /**
   * Runs the work in one transaction (READ COMMITTED), and rolls it back if the work throws. For migrations, which may
   * take long, so it has no deadline.
   */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>;

  /**
   * Listens on a channel until the returned function is called or the connection is lost. It holds a connection, which
   * does not keep the process alive.
   *
   * @returns a function that stops listening; `null` if the pool has no connection to spare.
   * @throws {StorageUnavailableError} if the deadline passes; other errors are those of the driver.
   */
  listen(channel: string, listener: Listener, deadline: CallDeadline): Promise<EndListening | null>;
}

/** Stops listening, and releases the connection. */
export type EndListening = () => Promise<void>;

export interface Listener {
  /** Called at each notification on the channel. */
  onNotified(): void;
  /** Called when the connection is lost after `listen` has resolved; before that, `listen` throws. */
  onLost(): void;
}
