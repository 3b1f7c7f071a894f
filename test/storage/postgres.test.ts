import {
  certifyLimiters,
  certifyMfa,
  certifyOutbox,
  certifyPersonalAccessTokens,
  certifyStartup,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { Pool } from 'pg';
import { afterAll, describe, inject, it } from 'vitest';
import { postgresStorageHarness } from '../support/storage/postgres-storage-harness.ts';

const url = inject('postgresUrl');

/** The suites race the first process and eight more. */
const PROCESSES = 1 + 8;
/** Few, because each connection is a process on the server. */
const CONNECTIONS_EACH = 4;

describe.skipIf(url === null)('PostgreSQL', () => {
  const connect = () => new Pool({ connectionString: url ?? '', max: CONNECTIONS_EACH });
  const admin = connect();
  const pools = Array.from({ length: PROCESSES }, connect);
  const harness = postgresStorageHarness((i) => pools[i % pools.length] ?? admin, admin);
  afterAll(() => Promise.all([admin, ...pools].map((pool) => pool.end())));

  certifyStorage({ describe, it }, harness);
  certifyLimiters({ describe, it }, harness);
  certifyWebhooks({ describe, it }, harness);
  certifyOutbox({ describe, it }, harness, async () => {
    const client = await admin.connect();
    const end = async (by: 'COMMIT' | 'ROLLBACK') => {
      await client.query(by);
      client.release();
    };
    await client.query('BEGIN');
    return {
      query: (text, values) => client.query(text, values),
      commit: () => end('COMMIT'),
      rollback: () => end('ROLLBACK'),
    };
  });
  certifyPersonalAccessTokens({ describe, it }, harness);
  certifyMfa({ describe, it }, harness);
  certifyStartup({ describe, it }, harness);
});
