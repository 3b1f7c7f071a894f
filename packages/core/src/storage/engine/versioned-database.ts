import type { MaybePromise } from '../../maybe-promise.ts';
import type { FoundRow, RangeRequest, Row } from './storage-engine.ts';

/** The database of {@link casEngine}, whose documents have versions. */
export interface VersionedDatabase {
  /** The name in warnings and errors, such as `mongodb`. */
  readonly name: string;
  /** Reads the version of a partition, never from a replica. */
  open(partition: string): Promise<VersionedPartition>;
  /** Finds rows of an index over all partitions, like `find` of `StorageEngine`. */
  find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]>;
}

/** A partition at a version. Its rows may be read lazily. */
export interface VersionedPartition {
  /** The version of the last commit, a safe integer; 0: there was none. */
  readonly version: number;
  /**
   * Whether its rows are those of this version even if others commit before the rows are read. Otherwise a transaction
   * that only reads checks the version again at its end.
   */
  readonly isSnapshot: boolean;
  get(key: string): MaybePromise<Row | null>;
  /**
   * May return more than was requested, even all rows, in any order; the caller filters and sorts them. Not called for
   * a range that ends before it starts.
   */
  range(index: string, request: RangeRequest): MaybePromise<readonly Row[]>;
  /**
   * Applies the whole change if `version` is still current; otherwise, or after `change.untilMs`, changes nothing and
   * returns `false`. Rejects if the result is unknown.
   */
  commit(change: PartitionChange): Promise<boolean>;
}

/** The change of a commit. */
export interface PartitionChange {
  /**
   * The new version. Versions grow with each commit and contain its time. So keep the version of a partition for a
   * second after its last row was deleted or has expired: clocks may differ by a second.
   */
  readonly version: number;
  /** The time of the transaction, ms. Rows that have expired by then may be dropped in the same commit. */
  readonly nowMs: number;
  /**
   * Until when the change may be applied, ms since 1970: after that nobody waits for the result. Compare it with the
   * clock of the server in the same request as the version, because the request itself may take long to arrive. It
   * allows for a clock that is a second ahead of this process. Without a clock, set a timeout in the driver.
   */
  readonly untilMs: number;
  readonly puts: readonly Row[];
  /** The keys of deleted rows, which may not exist. */
  readonly deletes: readonly string[];
}
