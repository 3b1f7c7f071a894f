import type { ChallengeStore, SessionStore, Storage } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { Proof } from '../suite.ts';
import { type Trial, tryOnNew } from './trial.ts';

/** What a claim about logins is tried on. */
export interface LoginTrial extends Trial<Storage> {
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
}

export function tryLogins(harness: StorageHarness, prove: Proof<LoginTrial>): Promise<void> {
  return tryOnNew(harness, (trial) => {
    const { sessions, challenges } = trial.storage;
    return prove({ ...trial, sessions, challenges });
  });
}
