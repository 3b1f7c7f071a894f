import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certifyLimiters, certifyStorage, type StorageHarness } from '@latchhook/testkit';
import { describe, it } from 'vitest';
import { openSqliteStorage, type SqliteStorage } from './sqlite-storage.ts';

const harness: StorageHarness = {
  open: async ({ clock }) => {
    const folder = await mkdtemp(join(tmpdir(), 'latchhook-'));
    const storages: SqliteStorage[] = [];
    return {
      connect: async () => {
        const file = join(folder, 'auth.db');
        const storage = await openSqliteStorage({ file, clock, synchronous: 'NORMAL' });
        storages.push(storage);
        return storage;
      },
      close: async () => {
        for (const storage of storages) storage.close();
        await rm(folder, { recursive: true });
      },
    };
  },
};

certifyStorage({ describe, it }, harness);
certifyLimiters({ describe, it }, harness);
