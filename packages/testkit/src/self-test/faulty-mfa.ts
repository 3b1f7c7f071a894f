import { type MfaStore, STORE_METHODS } from '@latchhook/core/storage';
import { mfaOf } from '../fixtures/mfa-fixture.ts';
import { callsBy } from './calls-by.ts';
import { harnessesOf } from './harnesses-of.ts';
import type { Transition } from './read-then-write.ts';

/** Stores of second factors: the reference, and faulty stores. */
export const {
  openReference: referenceMfa,
  faulty: faultyMfa,
  readThenWrite: readThenWriteMfa,
  ofEachConnection: mfaOfEachConnection,
} = harnessesOf(mfaBy, (mfa) => ({ mfa }));

function mfaBy(transition: Transition): MfaStore {
  return callsBy(transition, STORE_METHODS.mfa, mfaOf);
}
