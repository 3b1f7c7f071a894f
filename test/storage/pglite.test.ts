import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { beforeAll, describe } from 'vitest';
import { patientIt as it } from '../support/patient-it.ts';
import { postgresStorageHarness } from '../support/postgres-storage-harness.ts';
import { openPglite, PGLITE_OPENS_WITHIN_MS, pgliteDatabase } from '../support/shared-database.ts';

beforeAll(openPglite, PGLITE_OPENS_WITHIN_MS);
const { connection } = pgliteDatabase();
const harness = postgresStorageHarness(() => connection, connection);

certifyStorage({ describe, it }, harness);
certifyLimiters({ describe, it }, harness);
certifyWebhooks({ describe, it }, harness);
certifyPersonalAccessTokens({ describe, it }, harness);
certifyMfa({ describe, it }, harness);
