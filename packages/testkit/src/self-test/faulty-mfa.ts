import { memoryStorage } from '@latchhook/core';
import { type MfaStore, mapMethods, STORE_METHODS, type Storage } from '@latchhook/core/storage';
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
  return mapMethods(memoryStorage().mfa, STORE_METHODS.mfa, (call) =>
    transition(async (storage) => call(mfaOf(storage))),
  );
}

function mfaOf({ mfa, name }: Storage): MfaStore {
  if (mfa === undefined) throw new Error(`${name} has no second factors`);
  return mfa;
}
