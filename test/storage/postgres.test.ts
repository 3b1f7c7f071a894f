import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
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
  afterAll(() => Promise.all([admin, ...pools].map((pool) => pool.end())));
  const harness = postgresStorageHarness((nth) => pools[nth % pools.length] ?? admin, admin);

  certifyStorage({ describe, it }, harness);
  certifyLimiters({ describe, it }, harness);
  certifyPersonalAccessTokens({ describe, it }, harness);
  certifyMfa({ describe, it }, harness);
});
