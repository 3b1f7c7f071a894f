import { ConfigError } from '@latchhook/core';
import { uncheckedFields } from '@latchhook/core/storage';

/** The methods of a prepared statement that Latchhook uses. */
export interface SqliteStatement {
  // `unknown` values, as TypeScript 5 rejects narrower ones: `@types/better-sqlite3` declares them as `{}` by default.
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

/** An open `Database` of better-sqlite3, or a `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  exec(script: string): unknown;
  prepare(text: string): SqliteStatement;
}

/**
 * @param caller - the name of the function that needs the database, for messages
 * @throws {ConfigError} `options_invalid` if `database` is no open database of either driver
 */
export function checkedDatabase(caller: string, database: SqliteDatabase): SqliteDatabase {
  const { exec, prepare } = uncheckedFields<SqliteDatabase>(database);
  if (typeof exec === 'function' && typeof prepare === 'function') return database;
  throw new ConfigError(
    'options_invalid',
    `${caller} needs an open database: new Database(file) of better-sqlite3, or new DatabaseSync(file) of node:sqlite`,
  );
}
