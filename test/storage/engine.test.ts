import { systemClock } from '@latchhook/core';
import { memoryEngine, storageOn } from '@latchhook/core/storage';
import {
  certifyEngine,
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
  type EngineHarness,
  type StorageHarness,
} from '@latchhook/testkit';
import { Pool } from 'pg';
import { describe, it } from 'vitest';
import { HAS_POSTGRES, postgresUrl, uniqueSchema } from '../postgres/open-schema.ts';
import { openSqlEngine, sqlEngine } from '../support/storage/sql-engine.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const memory: EngineHarness = {
  async open({ clock = systemClock }) {
    const engine = memoryEngine(clock);
    return { connect: () => engine, close: async () => {} };
  },
};

const sql: EngineHarness = {
  abilities: ['disturb'],
  async open({ clock }) {
    const schema = uniqueSchema();
    const admin = new Pool({ connectionString: postgresUrl() });
    const pools: Pool[] = [];
    const connect = () => {
      const pool = new Pool({
        ...{ connectionString: postgresUrl(), application_name: schema },
        options: `-c search_path=${schema}`,
      });
      pool.on('error', () => {});
      pools.push(pool);
      return pool;
    };
    await admin.query(`CREATE SCHEMA ${schema}`);
    await openSqlEngine(connect(), clock);
    return {
      connect: () => sqlEngine(connect(), clock),
      async disturb() {
        await admin.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
          [schema],
        );
      },
      async close() {
        await Promise.all(pools.map((pool) => pool.end()));
        await admin.query(`DROP SCHEMA ${schema} CASCADE`);
        await admin.end();
      },
    };
  },
};

function certify(engines: EngineHarness): void {
  certifyEngine({ describe, it }, engines);
  const harness: StorageHarness = {
    async open({ clock }) {
      const { connect, close } = await engines.open({ clock });
      return {
        connect: async () => storageOn(await connect(), { clock, deadlineMs: PATIENT_MS }),
        close,
      };
    },
  };
  certifyStorage({ describe, it }, harness);
  certifyPersonalAccessTokens({ describe, it }, harness);
  certifyMfa({ describe, it }, harness);
  certifyWebhooks({ describe, it }, harness);
  // Their windows run on the system's clock.
  certifyLimiters(
    { describe, it },
    {
      async open() {
        const { connect, close } = await engines.open({});
        return {
          connect: async () => storageOn(await connect(), { deadlineMs: PATIENT_MS }),
          close,
        };
      },
    },
  );
}

describe('a storage on the memory engine', () => certify(memory));
describe.skipIf(!HAS_POSTGRES)('a storage on two tables', () => certify(sql));
