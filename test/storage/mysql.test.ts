import {
  certifyEngine,
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStartup,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { describe, it } from 'vitest';
import { HAS_MYSQL } from '../support/servers/mysql-databases.ts';
import {
  mysqlEngineHarness,
  mysqlStorageHarness,
} from '../support/storage/mysql-storage-harness.ts';

describe.skipIf(!HAS_MYSQL)('MySQL', () => {
  certifyEngine({ describe, it }, mysqlEngineHarness);
  certifyStorage({ describe, it }, mysqlStorageHarness);
  certifyPersonalAccessTokens({ describe, it }, mysqlStorageHarness);
  certifyMfa({ describe, it }, mysqlStorageHarness);
  certifyStartup({ describe, it }, mysqlStorageHarness);
  certifyWebhooks({ describe, it }, mysqlStorageHarness);
  // The windows of the limiters run on the system's clock.
  certifyLimiters({ describe, it }, { open: () => mysqlStorageHarness.open({}) });
});
