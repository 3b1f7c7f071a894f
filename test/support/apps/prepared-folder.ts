import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll } from 'vitest';
import { temporaryFolder } from '../servers/temporary-folder.ts';
import type { Settings } from './start-app.ts';

/**
 * Creates a folder with a database once for the tests of a file, because creating a database takes seconds.
 *
 * @returns a function that copies the folder for a starter.
 */
export function preparedFolder(): () => Promise<Settings> {
  let prepared: string;
  beforeAll(async () => {
    prepared = await mkdtemp(join(tmpdir(), 'latchhook-data-'));
    const pglite = await PGlite.create(join(prepared, 'pglite'));
    await pglite.close();
  });
  afterAll(() => rm(prepared, { recursive: true }));

  return async () => {
    const folder = join(await temporaryFolder(), 'data');
    await cp(prepared, folder, { recursive: true });
    return { DATA_DIR: folder };
  };
}
