import { type MfaStore, STORE_METHODS, type Storage } from '@latchhook/core/storage';
import { callsBy } from './calls-by.ts';
import { harnessesOf } from './harnesses-of.ts';
import type { Transition } from './read-then-write.ts';

/** Stores of second factors: the reference, and broken ones. */
export const {
  sound: soundMfa,
  that: mfaThat,
  readThenWrite: readThenWriteMfa,
  ofEachConnection: mfaOfEachConnection,
} = harnessesOf(mfaBy, (mfa) => ({ mfa }));

/** Makes each call by `transition`. */
function mfaBy(transition: Transition): MfaStore {
  return callsBy(transition, STORE_METHODS.mfa, mfaOf);
}

function mfaOf({ mfa, name }: Storage): MfaStore {
  if (mfa === undefined) throw new Error(`${name} has no second factors`);
  return mfa;
}
