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
 * Migrated schemas that are used again and again: to make one takes longer than most claims. They are dropped at the
 * end of the run.
 */
export interface PostgresSchemas {
  /** Answers an empty schema, which is used by nobody else until it is given back. */
  take(): Promise<string>;
  /** Takes it back as it is: whatever still runs in it must end before it is taken again. */
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
 * The statement that empties a schema. TRUNCATE makes new files for each table and index, which takes 100 times as
 * long.
 */
async function emptyingOf(admin: PostgresAdmin, schema: string): Promise<string> {
  const tables = (await tablesOf(admin, schema)).filter((table) => table !== 'migrations');
  const { rows } = await admin.query(
    `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = '${schema}'`,
  );
  const statements = [
    ...tables.map((table) => `DELETE FROM ${schema}.${table};`),
    // Sequences too, since cursors of pages come from them.
    ...rows.map(({ name }) => `PERFORM setval('${schema}.${name}', 1, false);`),
  ];
  return `DO $$ BEGIN ${statements.join(' ')} END $$`;
}
