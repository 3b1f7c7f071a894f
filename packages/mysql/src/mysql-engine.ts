import type { Clock } from '@latchhook/core';
import {
  assertNames,
  boundedInteger,
  lockingEngine,
  type NamesOf,
  type StorageEngine,
} from '@latchhook/core/storage';
import { mysqlDatabase } from './mysql-database.ts';
import { checkedPool, type MysqlPool } from './mysql-pool.ts';

/** The options of {@link mysqlStorage} and {@link mysqlEngine}. */
export interface MysqlStorageOptions {
  /** The host's own pool of `mysql2/promise`. Latchhook neither changes nor ends it. */
  readonly pool: MysqlPool;
  /** How long a call waits for MySQL, ms. Default: 1000. */
  readonly deadlineMs?: number;
  /** For tests. Default: the clock of the server. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<MysqlStorageOptions> = { pool: true, deadlineMs: true, clock: true };

/**
 * Creates the engine of {@link mysqlStorage}, for your own transitions on its rows.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 */
export function mysqlEngine(options: MysqlStorageOptions): StorageEngine {
  const { pool, ...settings } = checkedOptions('mysqlEngine', options);
  return lockingEngine(mysqlDatabase(pool), settings);
}

/** @param caller - the name of the function with these options, for messages */
export function checkedOptions(
  caller: string,
  options: MysqlStorageOptions,
): MysqlStorageOptions & { readonly deadlineMs: number } {
  assertNames(caller, 'options_invalid', options, NAMES);
  return {
    ...options,
    pool: checkedPool(caller, options.pool),
    deadlineMs: boundedInteger(`${caller}.deadlineMs`, options.deadlineMs, 1_000, [1]),
  };
}
