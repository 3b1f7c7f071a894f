import type { MaybePromise } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import type { TurnableClock } from './time/turnable-clock.ts';

/** An optional method of {@link OpenStorage}, which only some test cases need. */
export type Ability = 'disturb' | 'dump';

/**
 * How the kit opens the storage that is to be certified. `Connection` has the parts of the storage that the suites
 * need: a storage of webhooks needs no sessions.
 */
export interface StorageHarness<Connection = Storage> {
  /** The optional methods that an opened storage has. Test cases that need others are skipped. Default: none. */
  readonly abilities?: readonly Ability[];
  /**
   * Opens an empty storage that no other test uses: with its own key prefix or schema. Every test case
   * opens one.
   *
   * @param options.clock - The clock that the storage must use, so that no test waits for anything to expire.
   */
  open(options: { readonly clock: TurnableClock }): Promise<OpenStorage<Connection>>;
}

/** A storage that has been opened for one test case. */
export interface OpenStorage<Connection = Storage> {
  /**
   * Makes an independent connection to the same data, as another process would have. Races run over several
   * connections. A storage in the memory of this process returns the same object each time.
   */
  connect(): MaybePromise<Connection>;
  /**
   * Makes the server lose what it may lose without losing data: cached scripts, or connections. A transaction of an
   * engine calls it between its last write and its commit. If requests share no connection (HTTP), let the next request
   * fail, or only its response.
   */
  disturb?(): Promise<void>;
  /** Returns everything at rest as one text, in any form: see `certifyAtRest`. */
  dump?(): Promise<string>;
  /** Closes all connections, and removes the data. */
  close(): Promise<void>;
}
