import {
  type FoundSqlRow,
  type LockingConnection,
  type LockingDatabase,
  type SqlRange,
  StorageUnavailableError,
} from '@latchhook/core/storage';
import { MysqlFault } from './mysql-fault.ts';
import type { MysqlPool } from './mysql-pool.ts';
import { type FirstRow, MysqlRows } from './mysql-rows.ts';
import { MysqlSession } from './mysql-session.ts';
import {
  beginStatement,
  COMMIT,
  commitStatement,
  FORGET,
  findOverAllStatement,
  NOW,
  ROLLBACK,
  stripeOf,
  toSqlRow,
} from './mysql-statements.ts';

/**
 * Stores rows and their places in indexes in two tables. A transaction on a partition locks a row of a third table
 * because that row exists even if the partition has none.
 */
export function mysqlDatabase(pool: MysqlPool): LockingDatabase {
  return {
    name: 'mysql',
    connect: async () => new LockingSession(await MysqlSession.open(pool)),
    kindOf(error) {
      if (!(error instanceof MysqlFault)) return 'other';
      if (error.isConflict) return 'conflict';
      if (error.isConnectionLost) return 'connection_lost';
      return error.isRejected ? 'rejected' : 'other';
    },
  };
}

class LockingSession implements LockingConnection {
  readonly #session: MysqlSession;
  /** The stripe of the partition of the last transaction. */
  #stripe = 0;
  #rows: MysqlRows | undefined;
  /** The row that was read along with the lock. */
  #firstRow: FirstRow | undefined;

  constructor(session: MysqlSession) {
    this.#session = session;
  }

  async begin(partition: string, firstKey = ''): Promise<number> {
    this.#stripe = stripeOf(partition);
    const statement = beginStatement(this.#stripe, partition, firstKey);
    const [result = []] = await this.#session.call(statement);
    const [nowMs, lockedStripe, ...row] = result;
    if (lockedStripe === null) {
      throw new StorageUnavailableError('MySQL has no rows to lock: run `migrate` again.');
    }
    this.#firstRow = { key: firstKey, row: row[0] === null ? null : toSqlRow(row) };
    return Number(nowMs);
  }

  rowsOf(partition: string): MysqlRows {
    this.#rows = new MysqlRows(this.#session, partition, this.#stripe, this.#firstRow);
    return this.#rows;
  }

  async forgetExpired(_partition: string, nowMs: number): Promise<void> {
    await this.#rows?.flush();
    await this.#session.execute(FORGET, [this.#stripe, nowMs]);
  }

  async commit(untilMs: number): Promise<void> {
    if (this.#rows === undefined) await this.#session.query(commitStatement(untilMs));
    else await this.#rows.commit(untilMs);
  }

  async rollback(): Promise<void> {
    await this.#session.query(ROLLBACK);
  }

  async find(index: string, range: SqlRange): Promise<readonly FoundSqlRow[]> {
    // For the next transaction only: the host's default level may allow dirty reads.
    await this.#session.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await this.#session.query('START TRANSACTION');
    const rows = await this.#session.query(findOverAllStatement(index, range));
    await this.#session.query(COMMIT);
    return rows.map(([partition, ...row]) => ({
      partition: String(partition),
      ...toSqlRow(row),
    }));
  }

  async now(): Promise<number> {
    const [[nowMs] = []] = await this.#session.execute(NOW, []);
    return Number(nowMs);
  }

  release(): void {
    this.#session.release();
  }

  destroy(): void {
    this.#session.destroy();
  }
}
