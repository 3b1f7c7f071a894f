import { StorageUnavailableError } from '@latchhook/core/storage';
import { MysqlFault } from './mysql-fault.ts';
import type { MysqlConnection, MysqlPool } from './mysql-pool.ts';

/** The columns of a row, in the order of the statement. */
export type MysqlRow = readonly unknown[];

/** A connection of the host's pool. Its statements throw only {@link MysqlFault}. */
export class MysqlSession {
  readonly #connection: MysqlConnection;

  private constructor(connection: MysqlConnection) {
    this.#connection = connection;
  }

  /** @throws {StorageUnavailableError} if the pool cannot provide a connection */
  static async open(pool: MysqlPool): Promise<MysqlSession> {
    try {
      return new MysqlSession(await pool.getConnection());
    } catch (error) {
      const { message, cause } = new MysqlFault(error);
      throw new StorageUnavailableError(message, { cause });
    }
  }

  /** Runs a statement, and resolves to its rows; to an empty list if it returns none. */
  async query(sql: string): Promise<readonly MysqlRow[]> {
    try {
      const options = { rowsAsArray: true, nestTables: false, typeCast: true } as const;
      const [rows] = await this.#connection.query({ sql, values: [], ...options });
      return Array.isArray(rows) ? rows : [];
    } catch (error) {
      throw new MysqlFault(error);
    }
  }

  /** Calls a procedure, and resolves to the rows of its first result set. */
  async call(sql: string): Promise<readonly MysqlRow[]> {
    const [rows = []] = await this.query(sql);
    return rows as readonly MysqlRow[];
  }

  release(): void {
    this.#connection.release();
  }

  destroy(): void {
    this.#connection.destroy();
  }
}
