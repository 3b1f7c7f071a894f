import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { beforeAll, describe, it } from 'vitest';
import { postgresStorageHarness } from '../support/postgres-storage-harness.ts';
import { openPglite, pgliteDatabase } from '../support/shared-database.ts';

beforeAll(openPglite);
const { connection } = pgliteDatabase();
const harness = postgresStorageHarness(() => connection, connection);

certifyStorage({ describe, it }, harness);
certifyLimiters({ describe, it }, harness);
certifyWebhooks({ describe, it }, harness);
certifyPersonalAccessTokens({ describe, it }, harness);
certifyMfa({ describe, it }, harness);
