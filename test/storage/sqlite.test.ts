import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { describe, it } from 'vitest';
import { SQLITE_DRIVERS } from '../support/storage/sqlite-drivers.ts';
import { sqliteStorageHarness } from '../support/storage/sqlite-storage-harness.ts';

describe.each(SQLITE_DRIVERS)('SQLite by $name', (driver) => {
  const { open } = sqliteStorageHarness([driver]);
  certifyStorage({ describe, it }, { open });
  certifyPersonalAccessTokens({ describe, it }, { open });
  certifyMfa({ describe, it }, { open });
  certifyWebhooks({ describe, it }, { open });
  // Their windows run on the system's clock.
  certifyLimiters({ describe, it }, { open: () => open({}) });
});
