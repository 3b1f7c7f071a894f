import type { MaybePromise } from '../../maybe-promise.ts';
import type { FoundRow, RangeRequest, Row } from './storage-engine.ts';

/** What {@link casEngine} needs of a database whose documents have versions. */
export interface VersionedDatabase {
  /** Named in warnings and errors: `mongodb`. */
  readonly name: string;
  /** Reads the version of a partition, never from a replica. */
  open(partition: string): Promise<VersionedPartition>;
  /** Rows of an index over all partitions: as `find` of `StorageEngine`. */
  find(
    index: string,
    request: RangeRequest & { readonly limit: number },
  ): Promise<readonly FoundRow[]>;
}

/** A partition as of a version. Its rows may be read when they are asked for. */
export interface VersionedPartition {
  /** That of its last commit; 0 where there was none. */
  readonly version: number;
  /**
   * Whether its rows are those of this version, regardless of who commits meanwhile. Otherwise, what only read looks
   * again.
   */
  readonly isSnapshot: boolean;
  get(key: string): MaybePromise<Row | null>;
  /** May answer more than was asked for, even all rows, in any order: the rest is left out. */
  range(index: string, request: RangeRequest): MaybePromise<readonly Row[]>;
  /**
   * Makes all of the change, if the version is still the one above; else none of it, and returns `false`. Rejects where
   * it is not known which. Bound it by the timeout of the driver: one that takes effect a minute later is a fault.
   */
  commit(change: PartitionChange): Promise<boolean>;
}

/** What a commit changes. */
export interface PartitionChange {
  /** The new version. It grows from commit to commit, and holds the time: it has to outlive a partition's rows. */
  readonly version: number;
  /** The time of the transaction, ms: rows that have expired by it may be left out, and then need no clean-up. */
  readonly nowMs: number;
  readonly puts: readonly Row[];
  /** Keys, of rows that may not be there. */
  readonly deletes: readonly string[];
}
