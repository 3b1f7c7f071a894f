import { StorageUnavailableError } from '@latchhook/core/storage';
import { MysqlFault } from './mysql-fault.ts';
import type { MysqlConnection, MysqlPool, MysqlQuery } from './mysql-pool.ts';

export type MysqlValue = string | number | null;
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

  /** Runs a prepared statement. Its values do not depend on the host's SQL mode. */
  async execute(sql: string, values: readonly MysqlValue[]): Promise<readonly MysqlRow[]> {
    return rowsIn(await withFaults(this.#connection.execute(queryOf(sql, values))));
  }

  /** Runs a statement without values. */
  async query(sql: string): Promise<readonly MysqlRow[]> {
    return rowsIn(await withFaults(this.#connection.query(queryOf(sql, []))));
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

function queryOf(sql: string, values: readonly MysqlValue[]): MysqlQuery {
  return { sql, values: [...values], rowsAsArray: true, nestTables: false, typeCast: true };
}

/** The rows of a result; an empty list for a statement that returns none. */
function rowsIn([rows]: readonly unknown[]): readonly MysqlRow[] {
  return Array.isArray(rows) ? rows : [];
}

async function withFaults<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new MysqlFault(error);
  }
}
