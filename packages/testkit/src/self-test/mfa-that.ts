import type { MfaStore, Storage } from '@latchhook/core/storage';
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
  const onMfa = <Answer>(call: (mfa: MfaStore) => Promise<Answer>) =>
    transition((storage) => call(mfaOf(storage)));
  return {
    begin: (userId, enrolment) => onMfa((mfa) => mfa.begin(userId, enrolment)),
    findPending: (userId) => onMfa((mfa) => mfa.findPending(userId)),
    confirm: (userId, confirmation) => onMfa((mfa) => mfa.confirm(userId, confirmation)),
    find: (userId) => onMfa((mfa) => mfa.find(userId)),
    remove: (userId) => onMfa((mfa) => mfa.remove(userId)),
    replaceRecoveryCodes: (userId, hashes) =>
      onMfa((mfa) => mfa.replaceRecoveryCodes(userId, hashes)),
    consumeRecoveryCode: (userId, hash) => onMfa((mfa) => mfa.consumeRecoveryCode(userId, hash)),
    listSealed: (page) => onMfa((mfa) => mfa.listSealed(page)),
    replaceSealed: (userId, change) => onMfa((mfa) => mfa.replaceSealed(userId, change)),
  };
}

function mfaOf({ mfa, name }: Storage): MfaStore {
  if (mfa === undefined) throw new Error(`${name} has no second factors`);
  return mfa;
}
