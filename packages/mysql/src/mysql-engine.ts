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

/** How {@link mysqlStorage} and {@link mysqlEngine} use MySQL or MariaDB. */
export interface MysqlStorageOptions {
  /** The host's own pool of `mysql2/promise`. Latchhook neither changes nor ends it. */
  readonly pool: MysqlPool;
  /** How long a call waits for MySQL, ms. Default: 1000. */
  readonly deadlineMs?: number;
  /** Replaces the time in tests. Default: the clock of the server. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<MysqlStorageOptions> = { pool: true, deadlineMs: true, clock: true };

/**
 * The engine of {@link mysqlStorage}, for your own transitions on its rows.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 */
export function mysqlEngine(options: MysqlStorageOptions): StorageEngine {
  const { pool, ...settings } = checkedOptions('mysqlEngine', options);
  return lockingEngine(mysqlDatabase(pool), settings);
}

/** @param of - the name of the function with these options, for messages */
export function checkedOptions(
  of: string,
  options: MysqlStorageOptions,
): MysqlStorageOptions & { readonly deadlineMs: number } {
  assertNames(of, 'options_invalid', options, NAMES);
  return {
    ...options,
    pool: checkedPool(of, options.pool),
    deadlineMs: boundedInteger(`${of}.deadlineMs`, options.deadlineMs, 1_000, [1]),
  };
}
