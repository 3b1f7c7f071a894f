import {
  type PersonalAccessTokenStore,
  STORE_METHODS,
  type Storage,
} from '@latchhook/core/storage';
import { callsBy } from './calls-by.ts';
import { harnessesOf } from './harnesses-of.ts';
import type { Transition } from './read-then-write.ts';

/** Stores of personal access tokens: the reference, and broken ones. */
export const {
  sound: soundTokens,
  that: tokensThat,
  readThenWrite: readThenWriteTokens,
  ofEachConnection: tokensOfEachConnection,
} = harnessesOf(tokensBy, (personalAccessTokens) => ({ personalAccessTokens }));

/** Makes each call by `transition`. */
function tokensBy(transition: Transition): PersonalAccessTokenStore {
  return callsBy(transition, STORE_METHODS.personalAccessTokens, tokensOf);
}

function tokensOf({ personalAccessTokens, name }: Storage): PersonalAccessTokenStore {
  if (personalAccessTokens === undefined) throw new Error(`${name} has no tokens`);
  return personalAccessTokens;
}
