import type { MaybePromise } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import type { TurnableClock } from './time/turnable-clock.ts';

/** What a harness may be able to do beyond what every claim needs: methods of {@link OpenStorage}. */
export type Ability = 'disturb' | 'dump';

/**
 * How the kit opens the storage that is to be certified. `Connection` is what the suites need of it: a storage that
 * only keeps webhooks is certified only for webhooks.
 */
export interface StorageHarness<Connection = Storage> {
  /** The optional methods of what it opens. Claims that need others are skipped. Default: none. */
  readonly abilities?: readonly Ability[];
  /**
   * Opens an empty storage that no other test uses: with a key prefix of its own, or its own schema. Every claim
   * opens one.
   *
   * @param options.clock - The storage must take its time from it, so that no test waits for anything to expire.
   */
  open(options: { readonly clock: TurnableClock }): Promise<OpenStorage<Connection>>;
}

/** A storage that has been opened for one claim. */
export interface OpenStorage<Connection = Storage> {
  /**
   * Makes an independent connection to the same data, as another process would have: races run over several. A storage
   * that lives in this process answers the same object each time.
   */
  connect(): MaybePromise<Connection>;
  /** Makes the server lose what it may lose at any time without losing data: `SCRIPT FLUSH`, a dropped connection. */
  disturb?(): Promise<void>;
  /** Dumps everything at rest, in any form: see `certifyAtRest`. */
  dump?(): Promise<string>;
  /** Closes all connections, and removes the data. */
  close(): Promise<void>;
}
