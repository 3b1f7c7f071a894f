import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { Pool } from 'pg';
import { afterAll, describe, inject, it } from 'vitest';
import { postgresStorageHarness } from '../support/postgres-storage-harness.ts';

const url = inject('postgresUrl');

describe.skipIf(url === null)('PostgreSQL', () => {
  // One client each, so that every connection is a process of the server's own.
  const connect = () => new Pool({ connectionString: url ?? '', max: 1 });
  const admin = connect();
  const pools = Array.from({ length: 32 }, connect);
  const harness = postgresStorageHarness((nth) => pools[nth % pools.length] ?? admin, admin);
  afterAll(async () => {
    await harness.end();
    await Promise.all([admin, ...pools].map((pool) => pool.end()));
  });

  certifyStorage({ describe, it }, harness);
  certifyLimiters({ describe, it }, harness);
  certifyWebhooks({ describe, it }, harness);
  certifyPersonalAccessTokens({ describe, it }, harness);
  certifyMfa({ describe, it }, harness);
});
