import type { StorageHarness } from '../storage-harness.ts';
import { loginStoresBy } from './faulty-storage.ts';
import { ABILITIES, IN_PROCESS } from './in-process.ts';
import { readThenWrite } from './read-then-write.ts';

/** A storage of sessions and challenges whose methods are not atomic. */
export const readThenWriteStorage: StorageHarness = {
  abilities: ABILITIES,
  open: async ({ clock }) => {
    const storage = { name: 'read, then write', ...loginStoresBy(readThenWrite(clock)) };
    return { connect: async () => storage, ...IN_PROCESS };
  },
};
