import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type {
  CasEngineOptions,
  FoundRow,
  LockingEngineOptions,
  SqlRow,
  StorageEngine,
} from '@latchhook/core/storage';
import type { Pool } from 'mysql2/promise';

/** The exports of the programs in the guide. */
interface GuideEngines {
  createTables(pool: Pool): Promise<void>;
  mariadbEngine(pool: Pool, options?: LockingEngineOptions): StorageEngine;
  documentEngine(documents: Documents, options?: CasEngineOptions): StorageEngine;
}

interface PartitionDocument {
  readonly version: number;
  readonly rows: readonly SqlRow[];
}

export interface Documents {
  get(id: string): Promise<PartitionDocument | null>;
  replace(
    id: string,
    version: number,
    document: PartitionDocument,
    untilMs: number,
  ): Promise<boolean>;
  find(
    index: string,
    request: { readonly from?: string; readonly before?: string; readonly limit: number },
  ): Promise<readonly FoundRow[]>;
}

const guide = new URL('../../../docs/guides/storage-adapter.md', import.meta.url);
/** A folder from which the names of packages resolve. */
const folder = new URL('../../.guide-engines/', import.meta.url);

/** Loads the first two programs of the guide, unchanged. */
export async function guideEngines(): Promise<GuideEngines> {
  const blocks = (await readFile(guide, 'utf8')).matchAll(/```ts\n(.*?)```/gs);
  const [locking = '', versioned = ''] = Array.from(blocks, ([, code = '']) => code);
  await mkdir(folder, { recursive: true });
  try {
    return { ...(await loaded('locking.ts', locking)), ...(await loaded('cas.ts', versioned)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function loaded(name: string, code: string): Promise<GuideEngines> {
  const file = new URL(name, folder);
  await writeFile(file, code);
  return import(/* @vite-ignore */ file.href);
}
