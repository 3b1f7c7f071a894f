import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

// better-sqlite3 has binaries for Node 22 and later only. libsql has the same interface.
export function openSqlite(file) {
  const major = Number(process.versions.node.split('.', 1)[0]);
  return new (load(major < 22 ? 'libsql' : 'better-sqlite3'))(file);
}
