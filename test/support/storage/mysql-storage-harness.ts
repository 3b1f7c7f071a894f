import type { Clock } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { mysqlStorage } from '@latchhook/mysql';
import type { Pool } from 'mysql2/promise';
import { giveMysqlDatabaseBack, mysqlPool, takeMysqlDatabase } from '../servers/mysql-databases.ts';
import { PATIENT_MS } from '../time/patience.ts';

interface OpenMysql {
  connect(): Promise<Required<Storage>>;
  disturb(): Promise<void>;
  dump(): Promise<string>;
  close(): Promise<void>;
}

/** Certifies `mysqlStorage`; each claim has a database of its own. */
export const mysqlStorageHarness = {
  async open({ clock }: { readonly clock?: Clock }): Promise<OpenMysql> {
    const database = await takeMysqlDatabase();
    const admin = mysqlPool(database);
    const pools: Pool[] = [];
    return {
      async connect() {
        const pool = mysqlPool(database, { connectionLimit: 4 });
        pools.push(pool);
        const options = { pool, deadlineMs: PATIENT_MS };
        return mysqlStorage(clock === undefined ? options : { ...options, clock });
      },
      // Of each pool one that is idle: where a COMMIT loses its answer, the call is refused.
      async disturb() {
        for (const pool of pools) {
          const idle = await pool.getConnection();
          await admin.query(`KILL ${idle.threadId}`);
          idle.release();
        }
      },
      async dump() {
        const dumps: string[] = [];
        for (const table of ['latchhook_rows', 'latchhook_places']) {
          const [rows] = await admin.query(`SELECT * FROM ${table}`);
          dumps.push(JSON.stringify(rows));
        }
        return dumps.join('\n');
      },
      async close() {
        // It rejects where a connection was killed.
        for (const pool of [admin, ...pools]) await pool.end().catch(() => {});
        giveMysqlDatabaseBack(database);
      },
    };
  },
};
