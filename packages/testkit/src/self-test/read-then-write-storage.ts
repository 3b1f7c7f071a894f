import type { Storage } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import { readThenWrite } from './read-then-write.ts';

/** A storage of logins whose methods are not atomic. */
export const readThenWriteStorage: StorageHarness = {
  open: async ({ clock }) => {
    const transition = readThenWrite(clock);
    const storage: Storage = {
      name: 'read, then write',
      sessions: {
        create: (session, limits) => transition(({ sessions }) => sessions.create(session, limits)),
        rotate: (request) => transition(({ sessions }) => sessions.rotate(request)),
        isLive: (ref) => transition(({ sessions }) => sessions.isLive(ref)),
        revoke: (ref) => transition(({ sessions }) => sessions.revoke(ref)),
        revokeAll: (userId) => transition(({ sessions }) => sessions.revokeAll(userId)),
        revokeOthers: (spared) => transition(({ sessions }) => sessions.revokeOthers(spared)),
        list: (userId) => transition(({ sessions }) => sessions.list(userId)),
      },
      challenges: {
        create: (challenge) => transition(({ challenges }) => challenges.create(challenge)),
        reserveAttempt: (ref, limits) =>
          transition(({ challenges }) => challenges.reserveAttempt(ref, limits)),
        complete: (request) => transition(({ challenges }) => challenges.complete(request)),
        unlock: (userId) => transition(({ challenges }) => challenges.unlock(userId)),
      },
    };
    return { connect: async () => storage, close: async () => {} };
  },
};
