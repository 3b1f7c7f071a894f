import { memoryStorage } from '@latchhook/core';
import {
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStartup,
  certifyStorage,
  certifyWebhooks,
  type StorageHarness,
} from '@latchhook/testkit';
import { describe, it } from 'vitest';

const harness: StorageHarness = {
  open: async ({ clock }) => {
    const storage = memoryStorage({ clock });
    return { connect: async () => storage, close: async () => {} };
  },
};

describe('memoryStorage', () => {
  certifyStorage({ describe, it }, harness);
  certifyLimiters({ describe, it }, harness);
  certifyWebhooks({ describe, it }, harness);
  certifyPersonalAccessTokens({ describe, it }, harness);
  certifyMfa({ describe, it }, harness);
  certifyStartup({ describe, it }, harness);
});
