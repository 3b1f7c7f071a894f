import { ConfigError } from '@latchhook/core';
import { uncheckedFields } from '@latchhook/core/storage';

/** A statement with options that override those of the host's pool. */
export interface MysqlQuery {
  readonly sql: string;
  readonly values: [];
  readonly rowsAsArray: true;
  readonly nestTables: false;
  readonly typeCast: true;
}

/** The methods of a mysql2 connection that Latchhook uses. */
export interface MysqlConnection {
  query(options: MysqlQuery): Promise<readonly unknown[]>;
  release(): void;
  destroy(): void;
}

/**
 * The method of the host's `mysql2/promise` pool that Latchhook uses. Latchhook neither changes the settings of the
 * pool nor ends the pool.
 */
export interface MysqlPool {
  getConnection(): Promise<MysqlConnection>;
}

/**
 * @param caller - the name of the function that needs the pool, for messages
 * @throws {ConfigError} `options_invalid` if `pool` is not a pool of `mysql2/promise`
 */
export function checkedPool(caller: string, pool: MysqlPool): MysqlPool {
  const { getConnection, promise } = uncheckedFields<MysqlPool & { promise: unknown }>(pool);
  // A callback pool of `mysql2` has `getConnection` too, but also `promise`.
  if (typeof getConnection === 'function' && typeof promise !== 'function') return pool;
  throw new ConfigError(
    'options_invalid',
    `${caller} needs a pool of mysql2/promise: createPool('mysql://app@localhost/app')`,
  );
}
