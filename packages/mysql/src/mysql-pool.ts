import { ConfigError } from '@latchhook/core';

/** A statement with options that override those of the host's pool. */
export interface MysqlQuery {
  readonly sql: string;
  readonly values: (string | number | null)[];
  readonly rowsAsArray: true;
  readonly nestTables: false;
  readonly typeCast: true;
}

/** The part of a mysql2 connection that is used. */
export interface MysqlConnection {
  query(options: MysqlQuery): Promise<readonly unknown[]>;
  execute(options: MysqlQuery): Promise<readonly unknown[]>;
  release(): void;
  destroy(): void;
}

/** The host's own pool of `mysql2/promise`. Latchhook changes no setting of it, and never ends it. */
export interface MysqlPool {
  getConnection(): Promise<MysqlConnection>;
}

/** @throws {ConfigError} `options_invalid` where it is not such a pool */
export function checkedPool(of: string, pool: MysqlPool): MysqlPool {
  const { getConnection, promise } = Object(pool) as Partial<MysqlPool> & { promise?: unknown };
  // The callback pools of `mysql2` have the same methods, and `promise`.
  if (typeof getConnection === 'function' && typeof promise !== 'function') return pool;
  throw new ConfigError(
    'options_invalid',
    `${of} needs a pool of mysql2/promise: createPool('mysql://app@localhost/app')`,
  );
}
