import { rowOf } from '@latchhook/core/storage';
import { certifyEngine, type EngineHarness } from '@latchhook/testkit';
import type { Pool } from 'mysql2/promise';
import { describe, it } from 'vitest';
import {
  dropMysqlConnections,
  isMariadb,
  mysqlPool,
  newMysqlDatabase,
} from '../support/servers/mysql-databases.ts';
import { type Documents, guideEngines } from '../support/storage/guide-engines.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const guide = await guideEngines();

const guideOnMariadb: EngineHarness = {
  abilities: ['disturb'],
  async open(options) {
    const database = await newMysqlDatabase();
    const admin = mysqlPool(database);
    const pools: Pool[] = [];
    await guide.createTables(admin);
    return {
      connect() {
        const pool = mysqlPool(database);
        pools.push(pool);
        return guide.mariadbEngine(pool, { ...options, deadlineMs: PATIENT_MS });
      },
      disturb: () => dropMysqlConnections(admin),
      async close() {
        await admin.query(`DROP DATABASE ${database}`);
        // `end` rejects if a connection was killed.
        for (const pool of [admin, ...pools]) await pool.end().catch(() => {});
      },
    };
  },
};

const guideOnDocuments: EngineHarness = {
  async open(options) {
    const documents = slowDocuments();
    const connect = () => guide.documentEngine(documents, { ...options, deadlineMs: PATIENT_MS });
    return { connect, close: async () => {} };
  },
};

/** Documents behind a network: each call is delayed on its way, and its reply too. */
function slowDocuments(): Documents {
  const stored = new Map<string, Parameters<Documents['replace']>[2]>();
  const travel = () => new Promise((resolve) => setTimeout(resolve, 3 * Math.random()));
  const remote =
    <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
    async (...args: Args): Promise<Result> => {
      await travel();
      const result = call(...args);
      await travel();
      return result;
    };
  return {
    get: remote((id) => stored.get(id) ?? null),
    replace: remote((id, version, document) => {
      if ((stored.get(id)?.version ?? 0) !== version) return false;
      stored.set(id, document);
      return true;
    }),
    find: remote((index, { from = '', before, limit }) =>
      Array.from(stored)
        .flatMap(([partition, { rows }]) => rows.map((row) => ({ partition, ...rowOf(row) })))
        .filter(({ indexes }) => Object.hasOwn(indexes, index))
        .map((row) => ({ row, sortKey: row.indexes[index] ?? '' }))
        .filter(({ sortKey }) => sortKey >= from && (before === undefined || sortKey < before))
        .sort((a, b) => (a.sortKey < b.sortKey ? -1 : Number(a.sortKey > b.sortKey)))
        .map(({ row }) => row)
        .slice(0, limit),
    ),
  };
}

describe('the document engine of the guide', () => {
  certifyEngine({ describe, it }, guideOnDocuments);
});
describe.runIf(await isMariadb())('the MariaDB engine of the guide', () => {
  certifyEngine({ describe, it }, guideOnMariadb);
});
