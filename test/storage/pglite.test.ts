import { PGlite } from '@electric-sql/pglite';
import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresStorageHarness } from '../support/postgres-storage-harness.ts';

const pglite = new PGlite();
// Takes seconds to open, and more on a machine that is busy.
beforeAll(() => pglite.waitReady, 60_000);
afterAll(() => pglite.close());
const harness = postgresStorageHarness(() => pglite, pglite);

certifyStorage({ describe, it }, harness);
certifyLimiters({ describe, it }, harness);
certifyWebhooks({ describe, it }, harness);
certifyPersonalAccessTokens({ describe, it }, harness);
certifyMfa({ describe, it }, harness);
