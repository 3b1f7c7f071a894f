import { STORE_METHODS, type Storage } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import { callsBy } from './calls-by.ts';
import { ABILITIES, IN_PROCESS } from './in-process.ts';
import { readThenWrite } from './read-then-write.ts';

/** A storage of logins whose methods are not atomic. */
export const readThenWriteStorage: StorageHarness = {
  abilities: ABILITIES,
  open: async ({ clock }) => {
    const transition = readThenWrite(clock);
    const storage: Storage = {
      name: 'read, then write',
      sessions: callsBy(transition, STORE_METHODS.sessions, ({ sessions }) => sessions),
      challenges: callsBy(transition, STORE_METHODS.challenges, ({ challenges }) => challenges),
    };
    return { connect: async () => storage, ...IN_PROCESS };
  },
};
