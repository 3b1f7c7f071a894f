import { type MfaStore, memoryStorage, type Storage } from '@latchhook/core';
import type { MfaHarness } from '../mfa-trial.ts';
import type { TurnableClock } from '../turnable-clock.ts';
import { readThenWrite, type Transition } from './read-then-write.ts';

/** The reference with some methods of its second factors done wrong. */
export function mfaThat(
  change: (sound: MfaStore, clock: TurnableClock) => Partial<MfaStore>,
): MfaHarness {
  return {
    open: async ({ clock }) => {
      const sound = soundMfa(clock);
      const mfa = { ...sound, ...change(sound, clock) };
      return { connect: async () => ({ mfa }), close: async () => {} };
    },
  };
}

/** The reference, whose methods can be spread. */
export function soundMfa(clock: TurnableClock): MfaStore {
  const storage = memoryStorage({ clock });
  return mfaBy((apply) => apply(storage));
}

/** Second factors whose methods are no transitions. */
export const readThenWriteMfa: MfaHarness = {
  open: async ({ clock }) => {
    const mfa = mfaBy(readThenWrite(clock));
    return { connect: async () => ({ mfa }), close: async () => {} };
  },
};

/** A process that keeps to itself what others should see. */
export const mfaOfEachConnection: MfaHarness = {
  open: async ({ clock }) => ({
    connect: async () => ({ mfa: soundMfa(clock) }),
    close: async () => {},
  }),
};

/** Each call is made by `transition`. */
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
