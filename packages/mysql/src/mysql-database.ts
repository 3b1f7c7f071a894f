import {
  type FoundSqlRow,
  type LockingConnection,
  type LockingDatabase,
  type SqlRange,
  StorageUnavailableError,
} from '@latchhook/core/storage';
import { MysqlFault } from './mysql-fault.ts';
import type { MysqlPool } from './mysql-pool.ts';
import { MysqlRows } from './mysql-rows.ts';
import { MysqlSession } from './mysql-session.ts';
import {
  beginStatement,
  findOverAllStatement,
  forgetStatement,
  NOW,
  ROLLBACK,
  stripeOf,
  toSqlRow,
} from './mysql-statements.ts';

/**
 * Stores rows and their sort keys in indexes in two tables. A transaction on a partition locks a row of a third table
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
  /** The rows of the last transaction. */
  #rows: MysqlRows | undefined;

  constructor(session: MysqlSession) {
    this.#session = session;
  }

  async begin(partition: string, firstKey = ''): Promise<number> {
    const stripe = stripeOf(partition);
    const statement = beginStatement(stripe, partition, firstKey);
    const [result = []] = await this.#session.call(statement);
    const [nowMs, lockedStripe, ...row] = result;
    if (lockedStripe === null) {
      throw new StorageUnavailableError('MySQL has no rows to lock: run `migrate` again.');
    }
    const firstRow = { key: firstKey, row: row[0] === null ? null : toSqlRow(row) };
    this.#rows = new MysqlRows(this.#session, { partition, stripe, firstRow });
    return Number(nowMs);
  }

  rowsOf(): MysqlRows {
    if (this.#rows === undefined) throw new Error('no transaction has begun');
    return this.#rows;
  }

  forgetExpired(partition: string, nowMs: number): Promise<void> {
    return this.rowsOf().write(forgetStatement(stripeOf(partition), nowMs));
  }

  commit(untilMs: number): Promise<void> {
    return this.rowsOf().commit(untilMs);
  }

  async rollback(): Promise<void> {
    await this.#session.query(ROLLBACK);
  }

  async find(index: string, range: SqlRange): Promise<readonly FoundSqlRow[]> {
    const rows = await this.#session.call(findOverAllStatement(index, range));
    return rows.map(([partition, ...row]) => ({
      partition: String(partition),
      ...toSqlRow(row),
    }));
  }

  async now(): Promise<number> {
    const [[nowMs] = []] = await this.#session.query(NOW);
    return Number(nowMs);
  }

  release(): void {
    this.#session.release();
  }

  destroy(): void {
    this.#session.destroy();
  }
}
