import { StorageUnavailableError } from '@latchhook/core/storage';
import { MysqlFault } from './mysql-fault.ts';
import type { MysqlConnection, MysqlPool, MysqlQuery } from './mysql-pool.ts';

export type MysqlValue = string | number | null;
/** The columns of a row, in the order of the statement. */
export type MysqlRow = readonly unknown[];

/** A connection of the host's pool. All that its statements throw is a {@link MysqlFault}. */
export class MysqlSession {
  readonly #connection: MysqlConnection;

  private constructor(connection: MysqlConnection) {
    this.#connection = connection;
  }

  /** @throws {StorageUnavailableError} where the pool has none */
  static async take(pool: MysqlPool): Promise<MysqlSession> {
    try {
      return new MysqlSession(await pool.getConnection());
    } catch (error) {
      const { message, cause } = new MysqlFault(error);
      throw new StorageUnavailableError(message, { cause });
    }
  }

  /** Runs a statement as a prepared one, whose values no SQL mode of the host can misread. */
  async execute(sql: string, values: readonly MysqlValue[]): Promise<readonly MysqlRow[]> {
    return rowsIn(await faultsOf(this.#connection.execute(queryOf(sql, values))));
  }

  /** Runs a statement without values. */
  async query(sql: string): Promise<readonly MysqlRow[]> {
    return rowsIn(await faultsOf(this.#connection.query(queryOf(sql, []))));
  }

  /** Calls a procedure, and answers the rows of its first question. */
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

/** None where the statement was no question. */
function rowsIn([rows]: readonly unknown[]): readonly MysqlRow[] {
  return Array.isArray(rows) ? rows : [];
}

async function faultsOf<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new MysqlFault(error);
  }
}
