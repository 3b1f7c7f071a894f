export { migrate } from './migrate.ts';
export type { SqliteDatabase, SqliteStatement } from './sqlite-database.ts';
export { type SqliteStorageOptions, sqliteEngine } from './sqlite-engine.ts';
export { sqliteStorage } from './sqlite-storage.ts';
