import { ConfigError } from '@latchhook/core';

/** A statement, with the options by which it does not depend on those of the host's pool. */
export interface MysqlQuery {
  readonly sql: string;
  readonly values: (string | number | null)[];
  readonly rowsAsArray: true;
  readonly nestTables: false;
  readonly typeCast: true;
}

/** The part of a connection of mysql2 that is used. */
export interface MysqlConnection {
  query(options: MysqlQuery): Promise<readonly unknown[]>;
  execute(options: MysqlQuery): Promise<readonly unknown[]>;
  release(): void;
  destroy(): void;
}

/** The host's own pool of `mysql2/promise`. It is used as it is: nothing is set on it, and it is never ended. */
export interface MysqlPool {
  getConnection(): Promise<MysqlConnection>;
}

/** @throws {ConfigError} `options_invalid` where it is none */
export function checkedPool(of: string, pool: MysqlPool): MysqlPool {
  const { getConnection, promise } = Object(pool) as Partial<MysqlPool> & { promise?: unknown };
  // The pools of `mysql2` itself have the same methods, with callbacks.
  if (typeof getConnection === 'function' && typeof promise !== 'function') return pool;
  throw new ConfigError(
    'options_invalid',
    `${of} needs a pool of mysql2/promise: createPool('mysql://app@localhost/app')`,
  );
}
