import { type CallDeadline, StorageUnavailableError } from '@latchhook/core/storage';
import { MysqlFault } from './mysql-fault.ts';
import type { MysqlConnection, MysqlPool, MysqlQuery } from './mysql-pool.ts';

export type MysqlValue = string | number | null;
/** The columns of a row, in the order of the statement. */
export type MysqlRow = readonly unknown[];

/** A connection on loan from the pool: it is released, or destroyed, exactly once. */
export class ConnectionLease {
  readonly #connection: MysqlConnection;
  #isOver = false;

  private constructor(connection: MysqlConnection) {
    this.#connection = connection;
  }

  /** @throws {StorageUnavailableError} where the pool has none, or only after the deadline */
  static async take(pool: MysqlPool, deadline: CallDeadline): Promise<ConnectionLease> {
    const lease = new ConnectionLease(await connectionOf(pool));
    if (!deadline.passed) return lease;
    lease.end();
    throw new StorageUnavailableError('MySQL had no connection in time.');
  }

  /** Runs a statement as a prepared one, whose values no SQL mode of the host can misread. */
  async execute(sql: string, values: readonly MysqlValue[]): Promise<readonly MysqlRow[]> {
    return rowsIn(await faultsOf(this.#connection.execute(queryOf(sql, values))));
  }

  /** Runs a statement without values. */
  async query(sql: string): Promise<readonly MysqlRow[]> {
    return rowsIn(await faultsOf(this.#connection.query(queryOf(sql, []))));
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.release();
  }

  /** The server rolls back what is open on it. */
  discard(): void {
    if (this.#isOver) return;
    this.#isOver = true;
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

/** Its errors are none of a transaction, which would be run again: a server that is down is asked once by each call. */
async function connectionOf(pool: MysqlPool): Promise<MysqlConnection> {
  try {
    return await pool.getConnection();
  } catch (error) {
    const { message, cause } = new MysqlFault(error);
    throw new StorageUnavailableError(message, { cause });
  }
}

async function faultsOf<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new MysqlFault(error);
  }
}
