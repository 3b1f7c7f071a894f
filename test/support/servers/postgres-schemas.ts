import { randomUUID } from 'node:crypto';
import { migrate, type PostgresConnection } from '@latchhook/postgres';
import { inject } from 'vitest';

/** A connection that also runs plain statements: both a `Pool` of `pg` and a `PGlite`. */
export type PostgresAdmin = PostgresConnection & {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
};

/**
 * A pool of migrated schemas, because creating one takes longer than most tests. The end of the run drops them.
 */
export interface PostgresSchemas {
  /** Resolves to an empty schema, which no other test uses until it is given back. */
  take(): Promise<string>;
  /** Gives a schema back. Statements that still run in it must end before it is taken again. */
  giveBack(schema: string): void;
}

interface PreparedSchema {
  readonly schema: string;
  /** The statement that empties it. */
  readonly empty: string;
}

export function postgresSchemas(admin: PostgresAdmin): PostgresSchemas {
  const prepared = new Map<string, PreparedSchema>();
  const idle: PreparedSchema[] = [];
  return {
    async take() {
      const used = idle.pop();
      if (used !== undefined) {
        await admin.query(used.empty);
        return used.schema;
      }
      const schema = `${inject('postgresSchemaPrefix')}_${randomUUID().replaceAll('-', '')}`;
      await migrate(admin, { schema });
      prepared.set(schema, { schema, empty: await emptyingOf(admin, schema) });
      return schema;
    },
    giveBack(schema) {
      const reusable = prepared.get(schema);
      if (reusable !== undefined) idle.push(reusable);
    },
  };
}

export async function tablesOf(admin: PostgresAdmin, schema: string): Promise<readonly string[]> {
  const { rows } = await admin.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  );
  return rows.map(({ name }) => String(name));
}

/**
 * The statement that empties a schema. TRUNCATE would be much slower: it creates new files for each table and index.
 */
async function emptyingOf(admin: PostgresAdmin, schema: string): Promise<string> {
  const tables = (await tablesOf(admin, schema)).filter((table) => table !== 'migrations');
  const { rows } = await admin.query(
    `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = '${schema}'`,
  );
  const statements = [
    ...tables.map((table) => `DELETE FROM ${schema}.${table};`),
    // Sequences too, because the cursors of pages contain their numbers.
    ...rows.map(({ name }) => `PERFORM setval('${schema}.${name}', 1, false);`),
  ];
  return `DO $$ BEGIN ${statements.join(' ')} END $$`;
}
