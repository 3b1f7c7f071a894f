import { type MfaStore, type Storage, StorageUnavailableError } from '@latchhook/core/storage';

/** Wraps the factors of a storage, records the look-ups, and can make them fail. */
export interface WatchedFactors {
  readonly asked: string[];
  down: boolean;
  wrap(storage: Storage): Storage;
  /** The last wrapped storage. */
  last(): Storage;
}

export function watchedFactors(): WatchedFactors {
  let last: Storage | undefined;
  const self: WatchedFactors = {
    asked: [],
    down: false,
    wrap(storage) {
      const { mfa } = storage;
      if (mfa === undefined) throw new Error('a storage that keeps no factors');
      const find: MfaStore['find'] = async (userId) => {
        self.asked.push('find');
        if (self.down) throw new StorageUnavailableError('switched off');
        return mfa.find(userId);
      };
      last = { ...storage, mfa: watched(mfa, find) };
      return last;
    },
    last() {
      if (last === undefined) throw new Error('no storage yet');
      return last;
    },
  };
  return self;
}

function watched(mfa: MfaStore, find: MfaStore['find']): MfaStore {
  return {
    begin: (userId, enrolment) => mfa.begin(userId, enrolment),
    findPending: (userId, sessionId) => mfa.findPending(userId, sessionId),
    confirm: (userId, confirmation) => mfa.confirm(userId, confirmation),
    find,
    remove: (userId) => mfa.remove(userId),
    removeEnrolled: (userId, enrolmentId) => mfa.removeEnrolled(userId, enrolmentId),
    replaceRecoveryCodes: (userId, hashes) => mfa.replaceRecoveryCodes(userId, hashes),
    consumeRecoveryCode: (userId, hash) => mfa.consumeRecoveryCode(userId, hash),
    listEncrypted: (page) => mfa.listEncrypted(page),
    replaceEncrypted: (userId, change) => mfa.replaceEncrypted(userId, change),
  };
}
