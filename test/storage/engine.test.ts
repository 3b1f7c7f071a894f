import { systemClock } from '@latchhook/core';
import { memoryEngine, type StorageEngine, storageOn } from '@latchhook/core/storage';
import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
  type StorageHarness,
} from '@latchhook/testkit';
import { Pool } from 'pg';
import { describe, it } from 'vitest';
import { HAS_POSTGRES, postgresUrl, uniqueSchema } from '../postgres/open-schema.ts';
import { openSqlEngine, sqlEngine } from '../support/storage/sql-engine.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

/** Opens an engine, and answers connections to it; by default its time is that of the system. */
type OpenEngine = (
  clock?: typeof systemClock,
) => Promise<{ connect(): StorageEngine; close(): Promise<void> }>;

const openMemory: OpenEngine = async (clock = systemClock) => {
  const engine = memoryEngine(clock);
  return { connect: () => engine, close: async () => {} };
};

const openSql: OpenEngine = async (clock) => {
  const schema = uniqueSchema();
  const pools: Pool[] = [];
  const connect = () => {
    const pool = new Pool({ connectionString: postgresUrl(), options: `-c search_path=${schema}` });
    pool.on('error', () => {});
    pools.push(pool);
    return pool;
  };
  const first = connect();
  await first.query(`CREATE SCHEMA ${schema}`);
  await openSqlEngine(first, clock);
  return {
    connect: () => sqlEngine(connect(), clock),
    async close() {
      await first.query(`DROP SCHEMA ${schema} CASCADE`);
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
};

function certify(open: OpenEngine): void {
  const harness: StorageHarness = {
    async open({ clock }) {
      const { connect, close } = await open(clock);
      return {
        connect: async () => storageOn(connect(), { clock, deadlineMs: PATIENT_MS }),
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
        const { connect, close } = await open();
        return { connect: async () => storageOn(connect(), { deadlineMs: PATIENT_MS }), close };
      },
    },
  );
}

describe('a storage on the memory engine', () => certify(openMemory));
describe.skipIf(!HAS_POSTGRES)('a storage on two tables', () => certify(openSql));
