import type { Storage } from '@latchhook/core';
import type { TurnableClock } from './turnable-clock.ts';

/**
 * How the kit gets at the storage that is to be certified. `Connection` is what the suites need of it: a
 * storage that keeps webhooks alone is certified for webhooks alone.
 */
export interface StorageHarness<Connection = Storage> {
  /**
   * Opens a place to keep things that is empty, and that no other test looks at: a key prefix of its own, a
   * schema of its own. Every claim opens one.
   *
   * @param options.clock Where the storage must take its time from, so that expiry needs no waiting.
   */
  open(options: { readonly clock: TurnableClock }): Promise<OpenStorage<Connection>>;
}

/** A storage that has been opened for one claim. */
export interface OpenStorage<Connection = Storage> {
  /**
   * An independent connection to the same data, as another process would have: races run over several. A
   * storage that lives in this process answers the same object each time.
   */
  connect(): Promise<Connection>;
  /** Takes away what a server may lose at any time without losing data: `SCRIPT FLUSH`, a dropped connection. */
  disturb?(): Promise<void>;
  /** Everything at rest, in whatever form: see `certifyAtRest`. */
  dump?(): Promise<string>;
  /** Closes all connections, and removes the data. */
  close(): Promise<void>;
}
