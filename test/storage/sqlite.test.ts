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
import { SQLITE_DRIVERS } from '../support/storage/sqlite-drivers.ts';
import {
  sqliteEngineHarness,
  sqliteStorageHarness,
} from '../support/storage/sqlite-storage-harness.ts';

describe.each(SQLITE_DRIVERS.map((one) => [one.name, one] as const))(
  'SQLite by %s',
  (_, driver) => {
    const harness = sqliteStorageHarness([driver]);
    certifyEngine({ describe, it }, sqliteEngineHarness([driver]));
    certifyStorage({ describe, it }, harness);
    certifyPersonalAccessTokens({ describe, it }, harness);
    certifyMfa({ describe, it }, harness);
    certifyStartup({ describe, it }, harness);
    certifyWebhooks({ describe, it }, harness);
    // The windows of the limiters run on the system's clock.
    certifyLimiters({ describe, it }, { open: () => harness.open({}) });
  },
);
