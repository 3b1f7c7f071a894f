import { type PersonalAccessTokenStore, STORE_METHODS } from '@latchhook/core/storage';
import { tokensOf } from '../fixtures/personal-access-token-fixture.ts';
import { callsBy } from './calls-by.ts';
import { harnessesOf } from './harnesses-of.ts';
import type { Transition } from './read-then-write.ts';

/** Stores of personal access tokens: the reference, and faulty stores. */
export const {
  openReference: referenceTokens,
  faulty: faultyTokens,
  readThenWrite: readThenWriteTokens,
  ofEachConnection: tokensOfEachConnection,
} = harnessesOf(tokensBy, (personalAccessTokens) => ({ personalAccessTokens }));

function tokensBy(transition: Transition): PersonalAccessTokenStore {
  return callsBy(transition, STORE_METHODS.personalAccessTokens, tokensOf);
}
