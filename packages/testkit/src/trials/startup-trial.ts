import assert from 'node:assert/strict';
import { originOf, type Storage, type StoreStartup } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { Proof } from '../suite.ts';
import { type Trial, tryOnNew } from './trial.ts';

/** What a claim about the start of an app is tried on. */
export interface StartupTrial extends Trial<StoreStartup> {
  /** Over the first connection. */
  readonly startup: StoreStartup;
}

export function tryStartup(harness: StorageHarness, prove: Proof<StartupTrial>): Promise<void> {
  return tryOnNew(harness, (trial) => {
    const startup = startupOf(trial.storage);
    return prove({
      ...trial,
      startup,
      storage: startup,
      connections: async (count) => (await trial.connections(count)).map(startupOf),
    });
  });
}

function startupOf({ sessions }: Storage): StoreStartup {
  const startup = originOf(sessions)?.startup;
  assert.ok(startup !== undefined, 'the origin of `sessions` has no `startup` to certify');
  return startup;
}
