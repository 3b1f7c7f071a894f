import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStartup,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { Redis } from 'ioredis';
import { describe, inject, it } from 'vitest';
import { redisStorageHarness } from '../support/storage/redis-storage-harness.ts';

const url = inject('redisUrl');
const harness = redisStorageHarness(() => new Redis(url));

describe('Redis', () => {
  certifyStorage({ describe, it }, harness);
  certifyLimiters({ describe, it }, harness);
  certifyWebhooks({ describe, it }, harness);
  certifyPersonalAccessTokens({ describe, it }, harness);
  certifyMfa({ describe, it }, harness);
  certifyStartup({ describe, it }, harness);
});
