import type { MysqlPool } from '@latchhook/mysql';
import type { Pool } from 'mysql2/promise';

/** A pool whose connections call `before` ahead of each statement. */
export function interruptedPool(
  pool: Pool,
  before: (sql: string, connectionId: number) => Promise<unknown>,
): MysqlPool {
  return {
    async getConnection() {
      const connection = await pool.getConnection();
      const { threadId } = connection;
      return {
        async query(options) {
          await before(options.sql, threadId);
          return connection.query(options);
        },
        release: () => connection.release(),
        destroy: () => connection.destroy(),
      };
    },
  };
}
