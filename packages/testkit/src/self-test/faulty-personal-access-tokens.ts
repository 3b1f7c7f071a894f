import { type PersonalAccessTokenStore, STORE_METHODS } from '@latchhook/core/storage';
import { tokensOf } from '../fixtures/personal-access-token-fixture.ts';
import { makeHarnesses } from './make-harnesses.ts';
import type { Transition } from './read-then-write.ts';
import { runCallsBy } from './run-calls-by.ts';

/** Stores of personal access tokens: the reference, and faulty stores. */
export const {
  openReference: referenceTokens,
  faulty: faultyTokens,
  readThenWrite: readThenWriteTokens,
  unshared: unsharedTokens,
} = makeHarnesses(makeTokens, (personalAccessTokens) => ({ personalAccessTokens }));

function makeTokens(transition: Transition): PersonalAccessTokenStore {
  return runCallsBy(transition, STORE_METHODS.personalAccessTokens, tokensOf);
}
