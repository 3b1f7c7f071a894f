import { type Storage, storageOn } from '@latchhook/core/storage';
import { checkedOptions, type MysqlStorageOptions, mysqlEngine } from './mysql-engine.ts';

/**
 * Stores everything in MySQL 8 or MariaDB 10.11. Run {@link migrate} first.
 *
 * Atomicity: every transition is one transaction, which locks a row for its partition before it reads. If the server
 * aborts the transaction in favour of another, or the connection is lost before the commit, it is retried until the
 * deadline. A refresh takes two round trips.
 *
 * Concurrency: any number of processes may share a database; time is the time of the server.
 *
 * Expiry: expired rows are ignored, and deleted by later writes, a hundred at a time.
 *
 * Security: the database contains neither tokens nor anything from which a token could be derived, and secrets only
 * encrypted. It contains user ids, and addresses and user agents of logins.
 *
 * @throws {ConfigError} `options_invalid`, `option_unknown`, `option_out_of_bounds`
 * @example
 * ```ts
 * import { createAuth, type UserStore } from '@latchhook/core';
 * import { mysqlStorage } from '@latchhook/mysql';
 * import { createPool } from 'mysql2/promise';
 *
 * declare const users: UserStore;
 *
 * const pool = createPool('mysql://app@localhost/app');
 * const storage = mysqlStorage({ pool });
 * const auth = createAuth({ issuer: 'https://api.example.com', users, storage });
 * ```
 */
export function mysqlStorage(options: MysqlStorageOptions): Required<Storage> {
  const checked = checkedOptions('mysqlStorage', options);
  const { pool: _, ...settings } = checked;
  return storageOn(mysqlEngine(checked), settings);
}
