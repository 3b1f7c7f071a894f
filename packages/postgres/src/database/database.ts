import type { CallDeadline } from '@latchhook/core/storage';

export type Row = Readonly<Record<string, unknown>>;

/** Takes one statement at a time. */
export interface Queryable {
  /** @param text - one statement, with `$1`, `$2` ... for the values. */
  query(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

/** A PostgreSQL, wherever it runs: all that this package knows of a driver. */
export interface Database {
  /**
   * Runs one statement, on any connection, as its own transaction.
   *
   * @throws {StorageUnavailableError} when the deadline passes. The statement may run nevertheless.
   */
  query(text: string, values: readonly unknown[], deadline: CallDeadline): Promise<readonly Row[]>;

  /** Runs the work in one transaction (READ COMMITTED), which is rolled back where the work throws. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>;

  /**
   * Listens on a channel until that is ended, or the connection is lost. Meanwhile it holds a connection, which does
   * not keep the process alive.
   *
   * @returns a function that ends it; `null` where there is no connection to spare.
   * @throws {StorageUnavailableError} when the deadline passes; else the error of the driver.
   */
  listen(channel: string, listener: Listener, deadline: CallDeadline): Promise<EndListening | null>;
}

/** Ends listening, and gives up the connection. */
export type EndListening = () => Promise<void>;

export interface Listener {
  /** A notification came on the channel. */
  onNotified(): void;
  /** The connection is lost. Only called once it listens: before that, `listen` throws. */
  onLost(): void;
}
