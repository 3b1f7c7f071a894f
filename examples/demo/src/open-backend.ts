import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backend } from './backend.ts';
import { DEMO_FOLDER } from './demo-folder.ts';
import { memoryBackend } from './memory-backend.ts';
import { pgliteBackend } from './pglite-backend.ts';
import { postgresBackend } from './postgres-backend.ts';
import { redisBackend } from './redis-backend.ts';

/** What says where things are kept; at most one of them. */
export interface BackendSettings {
  /** A folder for PGlite, or `memory`. Default: a folder of this clone. */
  readonly DATA_DIR?: string | undefined;
  readonly DATABASE_URL?: string | undefined;
  readonly REDIS_URL?: string | undefined;
}

export type BackendOpening =
  | { readonly outcome: 'open'; readonly backend: Backend }
  | { readonly outcome: 'refused'; readonly reason: string };

const DEFAULT_FOLDER = fileURLToPath(new URL('data', DEMO_FOLDER));

/** Opens what the settings name. An empty one counts as none. */
export async function openBackend(settings: BackendSettings): Promise<BackendOpening> {
  const { DATA_DIR, DATABASE_URL, REDIS_URL } = settings;
  const given = Object.entries({ DATA_DIR, DATABASE_URL, REDIS_URL }).filter(([, value]) => value);
  if (given.length > 1) {
    const names = given.map(([name]) => name).join(' and ');
    return refused(`${names} contradict each other: each says where to keep things. Set one.`);
  }
  if (REDIS_URL) return open(redisBackend(REDIS_URL));
  if (DATABASE_URL) return open(await postgresBackend(DATABASE_URL));
  if (DATA_DIR === 'memory') return open(memoryBackend());
  return DATA_DIR ? openFolder(resolve(DATA_DIR)) : openDefault();
}

async function openFolder(folder: string): Promise<BackendOpening> {
  const opening = await pgliteBackend(folder);
  if (opening.outcome === 'open') return opening;
  return refused(
    `${folder} is in use by process ${opening.processId}, and belongs to one process at a time. Set DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL that both can use.`,
  );
}

/** Whoever has set nothing can run any number of starters; the first of them is the one that lasts. */
async function openDefault(): Promise<BackendOpening> {
  const opening = await pgliteBackend(DEFAULT_FOLDER);
  if (opening.outcome === 'open') return opening;
  console.warn(
    `WARNING: process ${opening.processId} has ${DEFAULT_FOLDER}, so this one keeps everything in memory, and LOSES IT AT ITS END. Set DATA_DIR to a folder of its own to keep it.`,
  );
  return open(memoryBackend());
}

function open(backend: Backend): BackendOpening {
  return { outcome: 'open', backend };
}

function refused(reason: string): BackendOpening {
  return { outcome: 'refused', reason };
}
