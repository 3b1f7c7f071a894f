import { randomUUID } from 'node:crypto';
import { migrate, type PostgresConnection, postgresStorage } from '@latchhook/postgres';
import type { StorageHarness } from '@latchhook/testkit';

/** Both a `Pool` of `pg` and a `PGlite` are one. */
type Admin = PostgresConnection & {
  query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
};

/** One connection after another, each independent of the others, and used again from one claim to the next. */
export type Connections = (nth: number) => PostgresConnection;

export interface PostgresHarness extends StorageHarness {
  /** Drops its schemas: the server may be one that somebody goes on using. */
  end(): Promise<void>;
}

/**
 * Certifies `postgresStorage` on whatever the connections are of. Each claim has a schema of its own, which is
 * emptied and used again by a later one: to make one takes longer than most claims.
 */
export function postgresStorageHarness(connectionAt: Connections, admin: Admin): PostgresHarness {
  const emptySchemas: string[] = [];
  return {
    end: async () => {
      for (const schema of emptySchemas) await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    },
    open: async ({ clock }) => {
      const schema = emptySchemas.pop() ?? (await createSchema(admin));
      let connected = 0;
      return {
        connect: async () => {
          connected += 1;
          return postgresStorage(connectionAt(connected - 1), { clock, schema });
        },
        dump: () => dumpOf(admin, schema),
        close: async () => {
          await empty(admin, schema);
          emptySchemas.push(schema);
        },
      };
    },
  };
}

async function createSchema(admin: Admin): Promise<string> {
  const schema = `certify_${randomUUID().replaceAll('-', '')}`;
  await migrate(admin, { schema });
  return schema;
}

async function empty(admin: Admin, schema: string): Promise<void> {
  const tables = (await tablesOf(admin, schema)).filter((table) => table !== 'migrations');
  const names = tables.map((table) => `${schema}.${table}`).join(', ');
  await admin.query(`TRUNCATE ${names} RESTART IDENTITY CASCADE`);
}

async function tablesOf(admin: Admin, schema: string): Promise<readonly string[]> {
  const { rows } = await admin.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  );
  return rows.map(({ name }) => String(name));
}

/** Every row of every table, as text. */
async function dumpOf(admin: Admin, schema: string): Promise<string> {
  const dumps: string[] = [];
  for (const table of await tablesOf(admin, schema)) {
    const { rows } = await admin.query(`SELECT t::text AS row FROM ${schema}.${table} t`);
    dumps.push(table, ...rows.map(({ row }) => String(row)));
  }
  return dumps.join('\n');
}
