import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStartup,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { beforeAll, describe, it } from 'vitest';
import { openPglite, pgliteDatabase } from '../support/servers/shared-database.ts';
import { postgresStorageHarness } from '../support/storage/postgres-storage-harness.ts';

beforeAll(openPglite);
const { connection } = pgliteDatabase();
const harness = postgresStorageHarness(() => connection, connection);

describe('PGlite', () => {
  certifyStorage({ describe, it }, harness);
  certifyLimiters({ describe, it }, harness);
  certifyWebhooks({ describe, it }, harness);
  certifyPersonalAccessTokens({ describe, it }, harness);
  certifyMfa({ describe, it }, harness);
  certifyStartup({ describe, it }, harness);
});
