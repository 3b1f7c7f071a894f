import { type MfaStore, STORE_METHODS } from '@latchhook/core/storage';
import { mfaOf } from '../fixtures/mfa-fixture.ts';
import { makeHarnesses } from './make-harnesses.ts';
import type { Transition } from './read-then-write.ts';
import { runCallsBy } from './run-calls-by.ts';

/** Stores of second factors: the reference, and faulty stores. */
export const {
  openReference: referenceMfa,
  faulty: faultyMfa,
  readThenWrite: readThenWriteMfa,
  unshared: unsharedMfa,
} = makeHarnesses(makeMfa, (mfa) => ({ mfa }));

function makeMfa(transition: Transition): MfaStore {
  return runCallsBy(transition, STORE_METHODS.mfa, mfaOf);
}
