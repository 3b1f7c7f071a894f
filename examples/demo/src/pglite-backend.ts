import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrate, postgresStorage } from '@latchhook/postgres';
import type { Backend } from './backend.ts';
import { type FolderHeld, lockFolder } from './lock-folder.ts';

/** `held`: another process has opened the folder. */
export type PgliteOpening = { readonly outcome: 'open'; readonly backend: Backend } | FolderHeld;

/**
 * Stores everything in a folder. PGlite runs PostgreSQL in this process, without a server.
 *
 * @throws {Error} if the folder cannot be written, or contains something that PGlite cannot read
 */
export async function pgliteBackend(folder: string): Promise<PgliteOpening> {
  // PGlite does not lock the folder, and a second process on it would destroy the data.
  const lock = lockFolder(folder);
  if (lock.outcome === 'held') return lock;
  const pglite = await openPglite(folder);
  await migrate(pglite);
  return {
    outcome: 'open',
    backend: {
      location: `PGlite in ${folder}`,
      storage: postgresStorage(pglite),
      close: () => pglite.close(),
    },
  };
}

async function openPglite(folder: string): Promise<PGlite> {
  const database = join(folder, 'pglite');
  if (!existsSync(database)) {
    console.log(`making a database in ${folder}: that takes some seconds, this once`);
    await createDatabase(database);
  }
  return PGlite.create(database);
}

/** Renames the database at the end, so that a process that is killed before leaves no incomplete database. */
async function createDatabase(database: string): Promise<void> {
  const draft = `${database}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const pglite = await PGlite.create(draft);
  await pglite.close();
  renameSync(draft, database);
}
