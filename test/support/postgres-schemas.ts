import { randomUUID } from 'node:crypto';
import { migrate, type PostgresConnection } from '@latchhook/postgres';
import { inject } from 'vitest';

/** Both a `Pool` of `pg` and a `PGlite` are one. */
export type PostgresAdmin = PostgresConnection & {
  query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
};

/**
 * Migrated schemas, to be used one after the other: to make one takes longer than most claims. The end of the
 * run drops them.
 */
export interface PostgresSchemas {
  /** One that is empty, and nobody else's until it is given back. */
  take(): Promise<string>;
  /** As it is: what still runs in it has until it is taken again to end. */
  giveBack(schema: string): void;
}

interface PreparedSchema {
  readonly schema: string;
  /** A statement. */
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
      const given = prepared.get(schema);
      if (given !== undefined) idle.push(given);
    },
  };
}

export async function tablesOf(admin: PostgresAdmin, schema: string): Promise<readonly string[]> {
  const { rows } = await admin.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  );
  return rows.map(({ name }) => String(name));
}

/** TRUNCATE makes new files for each table and each index, which takes a hundred times as long. */
async function emptyingOf(admin: PostgresAdmin, schema: string): Promise<string> {
  const tables = (await tablesOf(admin, schema)).filter((table) => table !== 'migrations');
  const { rows } = await admin.query(
    `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = '${schema}'`,
  );
  const statements = [
    ...tables.map((table) => `DELETE FROM ${schema}.${table};`),
    // Cursors of pages are made of them.
    ...rows.map(({ name }) => `PERFORM setval('${schema}.${name}', 1, false);`),
  ];
  return `DO $$ BEGIN ${statements.join(' ')} END $$`;
}
