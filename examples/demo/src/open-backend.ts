import { resolve } from 'node:path';
import type { Backend } from './backend.ts';
import { memoryBackend } from './memory-backend.ts';
import { pgliteBackend } from './pglite-backend.ts';
import { postgresBackend } from './postgres-backend.ts';
import { redisBackend } from './redis-backend.ts';
import { redisBesideSqlBackend } from './redis-beside-sql-backend.ts';

/** Environment variables that select the storage. An empty variable counts as absent. */
export interface BackendSettings {
  /** A folder for PGlite. */
  readonly DATA_DIR?: string | undefined;
  readonly DATABASE_URL?: string | undefined;
  /** With one of the other variables, Redis stores only logins. */
  readonly REDIS_URL?: string | undefined;
}

export type BackendOpening =
  | { readonly outcome: 'open'; readonly backend: Backend }
  | { readonly outcome: 'rejected'; readonly reason: string };

/** Opens the storage that the settings select. Default: the memory of this process. */
export async function openBackend({
  DATA_DIR,
  DATABASE_URL,
  REDIS_URL,
}: BackendSettings): Promise<BackendOpening> {
  if (DATA_DIR && DATABASE_URL) {
    return rejected(
      'DATA_DIR and DATABASE_URL contradict each other: each says where to keep things. Set one.',
    );
  }
  let sql: BackendOpening;
  if (DATABASE_URL) sql = open(await postgresBackend(DATABASE_URL));
  else if (DATA_DIR) sql = await openFolder(resolve(DATA_DIR));
  else return open(REDIS_URL ? redisBackend(REDIS_URL) : memoryBackend());
  if (sql.outcome === 'rejected' || !REDIS_URL) return sql;
  return open(redisBesideSqlBackend(redisBackend(REDIS_URL), sql.backend));
}

async function openFolder(folder: string): Promise<BackendOpening> {
  const opening = await pgliteBackend(folder);
  if (opening.outcome === 'open') return opening;
  return rejected(
    `${folder} is in use by process ${opening.processId}, and belongs to one process at a time. Set DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL that both can use.`,
  );
}

function open(backend: Backend): BackendOpening {
  return { outcome: 'open', backend };
}

function rejected(reason: string): BackendOpening {
  return { outcome: 'rejected', reason };
}
