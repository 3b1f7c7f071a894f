import assert from 'node:assert/strict';
import { type Clock, systemClock } from '@latchhook/core';
import { memoryEngine, type Rows, type StorageEngine, storageOn } from '@latchhook/core/storage';
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

/** The memory engine, which rejects rows that are in more indexes than the contract of engines allows. */
function engineOn(clock: Clock): StorageEngine {
  const engine = memoryEngine(clock);
  const checked = (rows: Rows): Rows => ({
    get: (key) => rows.get(key),
    range: (index, request) => rows.range(index, request),
    delete: (key) => rows.delete(key),
    put(row) {
      assert.ok(Object.keys(row.indexes).length <= 3, 'the row is in more than three indexes');
      return rows.put(row);
    },
  });
  return {
    name: engine.name,
    transact: (partition, work) =>
      engine.transact(partition, (rows, nowMs) => work(checked(rows), nowMs)),
    find: (index, request) => engine.find(index, request),
    now: () => engine.now(),
  };
}

const engines: EngineHarness = {
  async open({ clock = systemClock }) {
    const engine = engineOn(clock);
    return { connect: () => engine, close: async () => {} };
  },
};

function openStorages(clock: Clock, options: { readonly clock?: Clock }) {
  const engine = engineOn(clock);
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
