import { PGlite } from '@electric-sql/pglite';
import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { afterAll, describe, it } from 'vitest';
import { postgresStorageHarness } from '../support/postgres-storage-harness.ts';

const pglite = new PGlite();
afterAll(() => pglite.close());
const harness = postgresStorageHarness(() => pglite, pglite);

certifyStorage({ describe, it }, harness);
certifyLimiters({ describe, it }, harness);
certifyWebhooks({ describe, it }, harness);
certifyPersonalAccessTokens({ describe, it }, harness);
certifyMfa({ describe, it }, harness);
