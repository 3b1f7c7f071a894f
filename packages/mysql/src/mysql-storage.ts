import type { Clock } from '@latchhook/core';
import {
  assertNames,
  boundedInteger,
  type NamesOf,
  type Storage,
  storageOn,
} from '@latchhook/core/storage';
import { MysqlEngine } from './mysql-engine.ts';
import { checkedPool, type MysqlPool } from './mysql-pool.ts';

/** How {@link mysqlStorage} uses MySQL or MariaDB. */
export interface MysqlStorageOptions {
  /** The host's own pool of `mysql2/promise`. It is neither changed nor ended. */
  readonly pool: MysqlPool;
  /** How long a call waits for MySQL, ms. Default: 1000. */
  readonly deadlineMs?: number;
  /** Replaces the time, in tests. Default: the clock of the server. */
  readonly clock?: Clock;
}

const NAMES: NamesOf<MysqlStorageOptions> = { pool: true, deadlineMs: true, clock: true };

/**
 * Keeps everything in MySQL 8 or MariaDB 10.11. Run {@link migrate} first.
 *
 * Atomicity: every transition is one transaction, which locks a row for its partition before it reads. Where the server
 * ends it in favour of another one, or the connection is lost before the commit, it is run again until the deadline.
 *
 * Concurrency: any number of processes may share a database; time is the time of the server.
 *
 * Expiry: what has expired is ignored, and later writes delete it, a hundred rows at a time.
 *
 * Security: the database holds no token and nothing that one could be made from, and secrets only sealed. It does hold
 * user ids, addresses and user agents of logins.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 * @example
 * ```ts
 * import { createAuth, type UserDirectory } from '@latchhook/core';
 * import { mysqlStorage } from '@latchhook/mysql';
 * import { createPool } from 'mysql2/promise';
 *
 * declare const users: UserDirectory;
 *
 * const pool = createPool('mysql://app@localhost/app');
 * const storage = mysqlStorage({ pool });
 * const auth = createAuth({ issuer: 'https://api.example.com', users, storage });
 * ```
 */
export function mysqlStorage(options: MysqlStorageOptions): Required<Storage> {
  assertNames('mysqlStorage', 'options_invalid', options, NAMES);
  const pool = checkedPool('mysqlStorage', options.pool);
  const deadlineMs = boundedInteger('mysqlStorage.deadlineMs', options.deadlineMs, 1_000, [1]);
  const { clock } = options;
  const engine = new MysqlEngine(pool, { deadlineMs, clock });
  return storageOn(engine, { deadlineMs, ...(clock === undefined ? {} : { clock }) });
}
