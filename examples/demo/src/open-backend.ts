import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backend } from './backend.ts';
import { DEMO_FOLDER } from './demo-folder.ts';
import { memoryBackend } from './memory-backend.ts';
import { pgliteBackend } from './pglite-backend.ts';
import { postgresBackend } from './postgres-backend.ts';
import { redisBackend } from './redis-backend.ts';
import { redisBesideSqlBackend } from './redis-beside-sql-backend.ts';

/** Environment variables that select the storage. An empty variable counts as absent. */
export interface BackendSettings {
  /** A folder for PGlite, or `memory`. */
  readonly DATA_DIR?: string | undefined;
  readonly DATABASE_URL?: string | undefined;
  /** With one of the other variables, Redis stores only logins. */
  readonly REDIS_URL?: string | undefined;
}

export type BackendOpening =
  | { readonly outcome: 'open'; readonly backend: Backend }
  | { readonly outcome: 'rejected'; readonly reason: string };

/**
 * Opens the storage that the settings select. Default: PGlite in a folder of this clone, or memory if `port` is 0:
 * the next start has another port, for which the stored tokens are invalid.
 *
 * @param port - the port of the app; 0 for any free port
 */
export async function openBackend(
  { DATA_DIR, DATABASE_URL, REDIS_URL }: BackendSettings,
  port: number,
): Promise<BackendOpening> {
  if (DATA_DIR && DATABASE_URL) return contradiction('DATA_DIR', 'DATABASE_URL');
  if (DATA_DIR === 'memory') {
    return REDIS_URL ? contradiction('DATA_DIR=memory', 'REDIS_URL') : open(memoryBackend());
  }
  if (!DATA_DIR && !DATABASE_URL) {
    if (REDIS_URL) return open(redisBackend(REDIS_URL));
    if (port === 0) return open(memoryBackend());
  }
  const sql = DATABASE_URL
    ? open(await postgresBackend(DATABASE_URL))
    : await openFolder(DATA_DIR ? resolve(DATA_DIR) : defaultFolder(port));
  if (sql.outcome === 'rejected' || !REDIS_URL) return sql;
  return open(redisBesideSqlBackend(redisBackend(REDIS_URL), sql.backend));
}

/** One folder per port: the port is part of the issuer, so the tokens of one app are invalid in another. */
function defaultFolder(port: number): string {
  return join(fileURLToPath(DEMO_FOLDER), 'data', String(port));
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

function contradiction(variable: string, otherVariable: string): BackendOpening {
  return rejected(
    `${variable} and ${otherVariable} contradict each other: each says where to keep things. Set one.`,
  );
}

function rejected(reason: string): BackendOpening {
  return { outcome: 'rejected', reason };
}
