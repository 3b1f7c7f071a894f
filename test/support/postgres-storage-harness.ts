import { randomUUID } from 'node:crypto';
import { migrate, type PostgresConnection, postgresStorage } from '@latchhook/postgres';
import type { StorageHarness } from '@latchhook/testkit';

/** Both a `Pool` of `pg` and a `PGlite` are one. */
type Admin = PostgresConnection & {
  query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
};

/** One connection after another, each independent of the others, and used again from one claim to the next. */
export type Connections = (nth: number) => PostgresConnection;

/** Certifies `postgresStorage` on whatever the connections are of; each claim has a schema of its own. */
export function postgresStorageHarness(connectionAt: Connections, admin: Admin): StorageHarness {
  return {
    open: async ({ clock }) => {
      const schema = `certify_${randomUUID().replaceAll('-', '')}`;
      await migrate(admin, { schema });
      let connected = 0;
      return {
        connect: async () => {
          connected += 1;
          return postgresStorage(connectionAt(connected - 1), { clock, schema });
        },
        dump: () => dumpOf(admin, schema),
        close: async () => {
          await admin.query('SET client_min_messages = warning');
          await admin.query(`DROP SCHEMA ${schema} CASCADE`);
        },
      };
    },
  };
}

/** Every row of every table, as text. */
async function dumpOf(admin: Admin, schema: string): Promise<string> {
  const tables = await admin.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  );
  const dumps: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await admin.query(`SELECT t::text AS row FROM ${schema}.${name} t`);
    dumps.push(String(name), ...rows.map(({ row }) => String(row)));
  }
  return dumps.join('\n');
}
