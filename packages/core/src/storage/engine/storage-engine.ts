import type { MaybePromise } from '../../maybe-promise.ts';

/**
 * A row of a partition. The `key`, and the names and sort keys of `indexes`, have 1 to 128 characters of `A-Z`, `a-z`,
 * `0-9` and `_ - / :`, and are compared by their bytes. Core never uses two that a collation would take for the same.
 */
export interface Row {
  /** Unique within its partition. */
  readonly key: string;
  /** A JSON value, which is read back as `JSON.parse` returns it. Up to 1 MiB of JSON. */
  readonly value: unknown;
  /**
   * By index, the sort key of the row. Several rows may have the same sort key. A row is only in
   * the indexes that are named here: three at most.
   */
  readonly indexes: Readonly<Record<string, string>>;
  /**
   * When the row expires, by the clock of the engine, ms. The engine may delete the row from then on, but need not, as
   * core checks the time itself. `null`: never.
   */
  readonly expiresAtMs: number | null;
}

/** A range of the rows of an index, each once, sorted by sort key; rows of the same sort key in any order. */
export interface RangeRequest {
  /** The first sort key (inclusive). Default: no lower bound. */
  readonly from?: string;
  /** The end of the range (exclusive). Default: no upper bound. */
  readonly before?: string;
  /** The largest number of rows, from the first of the range on. Default: all. */
  readonly limit?: number;
}

/**
 * The rows of one partition, as a transaction sees them: with its own writes, and those of all transactions that
 * committed before it began.
 */
export interface Rows {
  /** Called several times at once for keys that are known together, so that one request can read them. */
  get(key: string): MaybePromise<Row | null>;
  /** Returns all rows of the range, however many there are. */
  range(index: string, request?: RangeRequest): MaybePromise<readonly Row[]>;
  /** Inserts the row, or replaces the whole row with this key. Later changes of the passed object have no effect. */
  put(row: Row): MaybePromise<void>;
  /** Deletes the row with this key, if there is one. */
  delete(key: string): MaybePromise<void>;
}

/** A row that was found over all partitions. */
export interface FoundRow extends Row {
  readonly partition: string;
}

/**
 * Stores rows: everything that a storage needs of a database. `storageOn` creates a storage on it.
 *
 * The name of a partition has the same characters as a key; partitions share no rows. A method that fails rejects with
 * any error: core responds 503, and emits the error as the cause of a fault. If the error has a `finding`, a
 * `StoreFindingCode` such as `storage_not_migrated`, `auth.ready()` reports it, with the message.
 */
export interface StorageEngine {
  /** The name in warnings and errors, such as `sqlite` or `mariadb`. */
  readonly name: string;

  /**
   * Runs `work` on the rows of one partition, and resolves to its result, unchanged, once its writes have committed.
   * Rejects unless it is certain that all writes of `work` have committed.
   *
   * Atomicity: all writes of `work` are committed, or none. If `work` throws, no write is committed, and this rejects
   * with the same error. Serialisable: the transactions of one partition have the effect of running one after the
   * other. Lock before the first read, or compare versions and run `work` again: it may be run any number of times,
   * each time on committed rows, and has no side effects.
   *
   * Concurrency: any number of transactions may be started at once, and all of them end. An engine may let transactions
   * of other partitions wait for this one too: not for long, because `work` awaits nothing but its rows.
   *
   * @param work - gets the time, in whole ms since 1970, read after the lock was granted
   * @param firstKey - the key of a row that `work` will most likely get, for an engine that can read a row along with
   *   the lock; others ignore it
   */
  transact<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => MaybePromise<Result>,
    firstKey?: string,
  ): Promise<Result>;

  /**
   * Finds rows of an index over all partitions, sorted by sort key. It finds every row that was committed at least a
   * second ago, and no uncommitted one. A row may have changed since, so core reads it again in a transaction.
   */
  find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]>;

  /** The current time of transactions, ms. */
  now(): Promise<number>;
}
