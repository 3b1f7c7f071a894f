import { memoryStorage } from '@latchhook/core';
import { mapMethods, STORE_METHODS, type Storage } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import { readThenWrite } from './read-then-write.ts';

/** A storage of logins whose methods are not atomic. */
export const readThenWriteStorage: StorageHarness = {
  open: async ({ clock }) => {
    const { sessions, challenges } = memoryStorage();
    const transition = readThenWrite(clock);
    const storage: Storage = {
      name: 'read, then write',
      sessions: mapMethods(sessions, STORE_METHODS.sessions, (call) =>
        transition(async (storage) => call(storage.sessions)),
      ),
      challenges: mapMethods(challenges, STORE_METHODS.challenges, (call) =>
        transition(async (storage) => call(storage.challenges)),
      ),
    };
    return { connect: async () => storage, close: async () => {} };
  },
};
