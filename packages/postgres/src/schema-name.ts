import { ConfigError } from '@latchhook/core';

export const DEFAULT_SCHEMA = 'latchhook';

/** What PostgreSQL takes without quotes, at the length to which it would cut longer ones. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Names of schemas are put into SQL as they are, since no parameter can stand for one. So they are held to a
 * form in which there is nothing to escape.
 *
 * @throws ConfigError `postgres_schema_invalid`
 */
export function checkedSchemaName(schema: string): string {
  // PostgreSQL keeps names that begin with `pg_` to itself.
  if (SCHEMA_NAME.test(schema) && !schema.startsWith('pg_')) return schema;
  throw new ConfigError(
    'postgres_schema_invalid',
    'Give a schema of small letters, digits and underscores, such as latchhook.',
  );
}
