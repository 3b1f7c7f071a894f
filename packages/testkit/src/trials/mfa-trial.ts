import assert from 'node:assert/strict';
import type { MfaStore, Storage } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { Proof } from '../suite.ts';
import { type Trial, tryOnNew } from './trial.ts';

/** How the kit opens a storage that keeps second factors, whatever else it keeps. */
export type MfaHarness = StorageHarness<Pick<Storage, 'mfa'>>;

/** What a claim about second factors is tried on. */
export interface MfaTrial extends Trial<MfaStore> {
  /** Over the first connection. */
  readonly mfa: MfaStore;
}

export function tryMfa(harness: MfaHarness, prove: Proof<MfaTrial>): Promise<void> {
  return tryOnNew(harness, (trial) => {
    const mfa = storeOf(trial.storage);
    return prove({
      ...trial,
      mfa,
      storage: mfa,
      connections: async (count) => (await trial.connections(count)).map(storeOf),
    });
  });
}

function storeOf({ mfa }: Pick<Storage, 'mfa'>): MfaStore {
  assert.ok(mfa !== undefined, 'the storage has no `mfa` to certify');
  return mfa;
}
