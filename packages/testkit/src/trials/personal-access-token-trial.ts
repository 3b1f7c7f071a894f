import assert from 'node:assert/strict';
import type { PersonalAccessTokenStore, Storage } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { Proof } from '../suite.ts';
import { type Trial, tryOnNew } from './trial.ts';

/** How the kit opens a storage that keeps personal access tokens, whatever else it keeps. */
export type PersonalAccessTokenHarness = StorageHarness<Pick<Storage, 'personalAccessTokens'>>;

/** What a claim about personal access tokens is tried on. */
export interface PersonalAccessTokenTrial extends Trial<PersonalAccessTokenStore> {
  /** Over the first connection. */
  readonly tokens: PersonalAccessTokenStore;
}

export function tryPersonalAccessTokens(
  harness: PersonalAccessTokenHarness,
  prove: Proof<PersonalAccessTokenTrial>,
): Promise<void> {
  return tryOnNew(harness, (trial) => {
    const tokens = storeOf(trial.storage);
    return prove({
      ...trial,
      tokens,
      storage: tokens,
      connections: async (count) => (await trial.connections(count)).map(storeOf),
    });
  });
}

function storeOf({
  personalAccessTokens,
}: Pick<Storage, 'personalAccessTokens'>): PersonalAccessTokenStore {
  assert.ok(
    personalAccessTokens !== undefined,
    'the storage has no `personalAccessTokens` to certify',
  );
  return personalAccessTokens;
}
