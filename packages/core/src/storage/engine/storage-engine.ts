import type { MaybePromise } from '../../maybe-promise.ts';

/**
 * A row of a partition. `key`, and the names and places of `indexes`, are 1 to 128 characters of `A-Z`, `a-z`, `0-9`
 * and `_ - / :`, compared by their bytes: core makes no other, so that no collation can make two of them one.
 */
export interface Row {
  /** Unique within its partition. */
  readonly key: string;
  /** What `JSON.stringify` can carry, and comes back as `JSON.parse` answers it. Up to 1 MiB of JSON. */
  readonly value: unknown;
  /** The place of the row in each index that it is in. Several rows may have the same. */
  readonly indexes: Readonly<Record<string, string>>;
  /**
   * From this time on, by the clock of the engine, it may forget the row, and need not: core uses the time itself.
   * `null`: never.
   */
  readonly expiresAtMs: number | null;
}

/** The rows of an index, each once, in the order of their places; rows of the same place in any. */
export interface RangeRequest {
  /** Only places from this one on. */
  readonly from?: string;
  /** Only places before this one. */
  readonly before?: string;
  /** How many at most: the first of them. Default: all. */
  readonly limit?: number;
}

/**
 * The rows of one partition, as a transaction sees them: its own writes, and those of all transactions that have
 * committed before it began.
 */
export interface Rows {
  get(key: string): MaybePromise<Row | null>;
  /** All of them, however many there are. */
  range(index: string, request?: RangeRequest): MaybePromise<readonly Row[]>;
  /** In place of the row with this key, of which nothing stays. The row is taken as it is at the call. */
  put(row: Row): MaybePromise<void>;
  /** Does nothing where there is no such row. */
  delete(key: string): MaybePromise<void>;
}

/** A row that was looked up over all partitions. */
export interface FoundRow extends Row {
  readonly partition: string;
}

/**
 * Where rows are kept: the whole of what a storage needs of a database. `storageOn` makes a storage of it.
 *
 * A partition is named as a key is, and shares no rows with others. A method that fails rejects with whatever it has:
 * core answers 503, and passes the error on as the cause of a fault. If the error has a `finding`, a `StoreFindingCode`
 * such as `storage_not_migrated`, `auth.ready()` reports it, with the message.
 */
export interface StorageEngine {
  /** Named in warnings and errors: `sqlite`, `mariadb` ... */
  readonly name: string;

  /**
   * Runs `work` on the rows of one partition, and resolves to what it answers, as it is, once its writes have
   * committed. Rejects where it cannot know that they have.
   *
   * Atomicity: all of its writes, or none; none where `work` throws, which rejects with the same error. Serialisable:
   * transactions of one partition are as if one came after the other. Lock before the first read, or compare versions
   * and run `work` again: it may be run any number of times, each on what has committed, and has no other effects.
   *
   * Concurrency: any number may be called at once, and all of them end. Those of other partitions may wait for this one
   * too, as `work` awaits nothing but its rows.
   *
   * @param work - is given the time, ms since 1970, whole: read after the lock was granted
   * @param firstKey - a row that `work` most likely gets. For an engine that can read a row along with the
   * lock; others ignore it.
   */
  transact<Result>(
    partition: string,
    work: (rows: Rows, nowMs: number) => MaybePromise<Result>,
    firstKey?: string,
  ): Promise<Result>;

  /**
   * Rows of an index over all partitions, in the order of their places. What has committed a second ago is found, and
   * nothing that never has; what is found may have changed since, so core looks again in a transaction.
   */
  find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]>;

  /** The time that transactions are given, ms. */
  now(): Promise<number>;
}
