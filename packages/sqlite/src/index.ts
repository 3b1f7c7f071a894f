export { migrate } from './migrate.ts';
export type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite-database.ts';
export { type SqliteStorageOptions, sqliteStorage } from './sqlite-storage.ts';
