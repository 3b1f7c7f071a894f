import { join } from 'node:path';
import { migrate } from '@latchhook/sqlite';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/servers/temporary-folder.ts';
import { SQLITE_DRIVERS, type SqliteTestDatabase } from '../support/storage/sqlite-drivers.ts';

export interface TestFile {
  readonly path: string;
  /** Opens a connection, which is closed after the test. */
  open(): SqliteTestDatabase;
}

/** A new database file without tables, which is removed after the test. */
export async function newFile(): Promise<TestFile> {
  const path = join(await temporaryFolder(), 'auth.db');
  return {
    path,
    open() {
      const database = SQLITE_DRIVERS[0].open(path);
      onTestFinished(() => void database.close());
      return database;
    },
  };
}

/** A new database file with the tables of `migrate`. */
export async function migratedFile(): Promise<TestFile> {
  const file = await newFile();
  await migrate(file.open());
  return file;
}
