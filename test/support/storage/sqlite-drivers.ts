import { createRequire } from 'node:module';
import type { SqliteDatabase } from '@latchhook/sqlite';

/** A connection that a test closes. */
export interface SqliteTestDatabase extends SqliteDatabase {
  close(): unknown;
}

export interface SqliteDriver {
  readonly name: string;
  open(file: string): SqliteTestDatabase;
}

type DatabaseClass = new (file: string) => SqliteTestDatabase;

const require = createRequire(import.meta.url);
const major = Number(process.versions.node.split('.', 1)[0]);

/**
 * The drivers that run on this Node.js. Node 20 has no `node:sqlite` and no binary of better-sqlite3: it runs libsql,
 * which has the interface of better-sqlite3.
 */
export const SQLITE_DRIVERS: readonly [SqliteDriver, ...SqliteDriver[]] =
  major < 22
    ? [driver('libsql', require('libsql'))]
    : [
        driver('better-sqlite3', require('better-sqlite3')),
        driver('node:sqlite', require('node:sqlite').DatabaseSync),
      ];

function driver(name: string, Database: DatabaseClass): SqliteDriver {
  return { name, open: (file) => new Database(file) };
}
