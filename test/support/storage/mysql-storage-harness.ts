import type { Clock } from '@latchhook/core';
import { type MysqlStorageOptions, mysqlEngine, mysqlStorage } from '@latchhook/mysql';
import type { Pool } from 'mysql2/promise';
import {
  dropMysqlConnections,
  giveMysqlDatabaseBack,
  mysqlPool,
  takeMysqlDatabase,
} from '../servers/mysql-databases.ts';
import { PATIENT_MS } from '../time/patience.ts';

interface OpenMysql<Connection> {
  connect(): Promise<Connection>;
  disturb(): Promise<void>;
  /** Also kills connections within transactions. */
  dropConnections(): Promise<void>;
  dump(): Promise<string>;
  close(): Promise<void>;
}

/** Each test has its own database. */
async function openMysql<Connection>(
  make: (options: MysqlStorageOptions) => Connection,
  clock: Clock | undefined,
): Promise<OpenMysql<Connection>> {
  const database = await takeMysqlDatabase();
  const admin = mysqlPool(database);
  const pools: Pool[] = [];
  return {
    async connect() {
      const pool = mysqlPool(database, { connectionLimit: 4 });
      pools.push(pool);
      const options = { pool, deadlineMs: PATIENT_MS };
      return make(clock === undefined ? options : { ...options, clock });
    },
    // Kills only an idle connection of each pool: a call whose COMMIT loses its reply would be rejected.
    async disturb() {
      for (const pool of pools) {
        const idle = await pool.getConnection();
        await admin.query(`KILL ${idle.threadId}`);
        idle.release();
      }
    },
    dropConnections: () => dropMysqlConnections(admin),
    async dump() {
      const dumps: string[] = [];
      for (const table of ['latchhook_rows', 'latchhook_index_entries']) {
        const [rows] = await admin.query(`SELECT * FROM ${table}`);
        dumps.push(JSON.stringify(rows));
      }
      return dumps.join('\n');
    },
    async close() {
      // `end` rejects if a connection was killed.
      for (const pool of [admin, ...pools]) await pool.end().catch(() => {});
      giveMysqlDatabaseBack(database);
    },
  };
}

type ClockOption = { readonly clock?: Clock };

export const mysqlStorageHarness = {
  abilities: ['disturb', 'dump'],
  open: ({ clock }: ClockOption) => openMysql(mysqlStorage, clock),
} as const;

/** For the engine of `mysqlStorage`. */
export const mysqlEngineHarness = {
  abilities: ['disturb'],
  async open({ clock }: ClockOption) {
    const opened = await openMysql(mysqlEngine, clock);
    return { ...opened, disturb: opened.dropConnections };
  },
} as const;
