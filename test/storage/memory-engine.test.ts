import { type Clock, systemClock } from '@latchhook/core';
import { memoryEngine, storageOn } from '@latchhook/core/storage';
import {
  certifyEngine,
  certifyLimiters,
  certifyMfa,
  certifyPersonalAccessTokens,
  certifyStartup,
  certifyStorage,
  certifyWebhooks,
  type EngineHarness,
  type StorageHarness,
} from '@latchhook/testkit';
import { describe, it } from 'vitest';
import { PATIENT_MS } from '../support/time/patience.ts';

const engines: EngineHarness = {
  async open({ clock = systemClock }) {
    const engine = memoryEngine(clock);
    return { connect: () => engine, close: async () => {} };
  },
};

function openStorages(clock: Clock, options: { readonly clock?: Clock }) {
  const engine = memoryEngine(clock);
  return {
    connect: async () => storageOn(engine, { ...options, deadlineMs: PATIENT_MS }),
    close: async () => {},
  };
}

const storages: StorageHarness = { open: async ({ clock }) => openStorages(clock, { clock }) };

describe('a storage on the memory engine', () => {
  certifyEngine({ describe, it }, engines);
  certifyStorage({ describe, it }, storages);
  certifyPersonalAccessTokens({ describe, it }, storages);
  certifyMfa({ describe, it }, storages);
  certifyStartup({ describe, it }, storages);
  certifyWebhooks({ describe, it }, storages);
  // The windows of the limiters run on the system's clock.
  certifyLimiters({ describe, it }, { open: async () => openStorages(systemClock, {}) });
});
