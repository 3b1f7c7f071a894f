import { ConfigError } from '@latchhook/core';

export const DEFAULT_SCHEMA = 'latchhook';

/** A name in which nothing has to be escaped, of at most the 63 bytes to which PostgreSQL cuts longer ones. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Schemas of PostgreSQL itself. */
const OF_POSTGRES = /^(pg_.*|information_schema)$/;

/**
 * Checks the name of a schema. Names go into the text of SQL, since no parameter can stand for one, so only those are
 * let in that need no escaping. That leaves the words that PostgreSQL reserves: see {@link quotedName}.
 *
 * Security: a role that has USAGE on the schema may call its functions, which act as their owner. In `public` that is
 * every role of the database, unless somebody has revoked it: any of them could make itself a login.
 *
 * @throws {ConfigError} `postgres_schema_invalid`
 */
export function checkedSchemaName(schema: string): string {
  if (schema === 'public') {
    throw new ConfigError(
      'postgres_schema_invalid',
      'schema must be one that is for this alone, such as latchhook: every role of the database may use public, and could call the functions in it',
    );
  }
  if (SCHEMA_NAME.test(schema) && !OF_POSTGRES.test(schema)) return schema;
  throw new ConfigError(
    'postgres_schema_invalid',
    'schema must be small letters, digits and underscores, and not of PostgreSQL itself, such as latchhook',
  );
}

/**
 * A checked name as SQL takes it. In quotes, since it may be a word that PostgreSQL reserves, such as `user`, or one
 * that a later version of PostgreSQL will reserve.
 */
export function quotedName(schema: string): string {
  return `"${schema}"`;
}
