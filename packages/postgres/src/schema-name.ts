import { ConfigError } from '@latchhook/core';

export const DEFAULT_SCHEMA = 'latchhook';

/** A name that needs no escaping and has at most 63 bytes because PostgreSQL truncates longer names. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Schemas of PostgreSQL itself. */
const SYSTEM_SCHEMA = /^(pg_.*|information_schema)$/;

/**
 * Checks the name of a schema. It becomes part of the SQL text because a parameter cannot stand for a name, so only
 * names that need no escaping are allowed. Reserved words are quoted: see {@link quotedName}.
 *
 * Security: a role with USAGE on the schema may call its functions, which run as their owner. On `public`, every role
 * of the database has USAGE unless it was revoked, so each role could create a session for itself.
 *
 * @throws {ConfigError} `postgres_schema_invalid`
 */
export function checkedSchemaName(schema: unknown): string {
  if (schema === 'public') {
    throw new ConfigError(
      'postgres_schema_invalid',
      'schema must be one for Latchhook alone, such as latchhook: every role of the database may use public, and could call the functions in it',
    );
  }
  const isName = typeof schema === 'string' && SCHEMA_NAME.test(schema);
  if (isName && !SYSTEM_SCHEMA.test(schema)) return schema;
  throw new ConfigError(
    'postgres_schema_invalid',
    'schema must be lower-case letters, digits and underscores, and none of PostgreSQL itself, such as latchhook',
  );
}

/**
 * A checked name in quotes for SQL. Without quotes, it might be a word that PostgreSQL reserves, such as `user`, or
 * that a later version will reserve.
 */
export function quotedName(schema: string): string {
  return `"${schema}"`;
}
