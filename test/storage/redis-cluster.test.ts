import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStartup,
  certifyStorage,
  certifyWebhooks,
} from '@latchhook/testkit';
import { Cluster } from 'ioredis';
import { describe, inject, it } from 'vitest';
import { redisStorageHarness } from '../support/storage/redis-storage-harness.ts';

const nodes = inject('redisClusterNodes');

describe.skipIf(nodes.length === 0)('Redis Cluster', () => {
  const harness = redisStorageHarness(() => new Cluster([...nodes]));

  certifyStorage({ describe, it }, harness);
  certifyLimiters({ describe, it }, harness);
  certifyWebhooks({ describe, it }, harness);
  certifyPersonalAccessTokens({ describe, it }, harness);
  certifyMfa({ describe, it }, harness);
  certifyStartup({ describe, it }, harness);
});
