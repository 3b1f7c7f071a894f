import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrate, postgresStorage } from '@latchhook/postgres';
import type { Backend } from './backend.ts';
import { type FolderHeld, lockFolder } from './lock-folder.ts';

/** Only one process at a time can open a folder. */
export type PgliteOpening = { readonly outcome: 'open'; readonly backend: Backend } | FolderHeld;

/**
 * PostgreSQL in a folder, without a server: PGlite runs it in this process.
 *
 * @throws {Error} if the folder cannot be written, or holds something that PGlite cannot read
 */
export async function pgliteBackend(folder: string): Promise<PgliteOpening> {
  // PGlite has no lock of its own, and two processes on one folder would destroy its contents.
  const lock = lockFolder(folder);
  if (lock.outcome === 'held') return lock;
  const pglite = await openPglite(folder);
  await migrate(pglite);
  return {
    outcome: 'open',
    backend: {
      place: `PGlite in ${folder}`,
      storage: postgresStorage(pglite),
      close: () => pglite.close(),
    },
  };
}

async function openPglite(folder: string): Promise<PGlite> {
  const database = join(folder, 'pglite');
  if (!existsSync(database)) {
    console.log(`making a database in ${folder}: that takes some seconds, this once`);
    await makeDatabase(database);
  }
  return PGlite.create(database);
}

/** Makes it under another name first: a process that is killed meanwhile leaves nothing that looks like a database. */
async function makeDatabase(database: string): Promise<void> {
  const draft = `${database}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const pglite = await PGlite.create(draft);
  await pglite.close();
  renameSync(draft, database);
}
