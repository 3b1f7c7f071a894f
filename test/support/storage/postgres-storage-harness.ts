import { type PostgresConnection, postgresStorage } from '@latchhook/postgres';
import type { StorageHarness } from '@latchhook/testkit';
import { type PostgresAdmin, postgresSchemas, tablesOf } from '../servers/postgres-schemas.ts';
import { PATIENT_MS } from '../time/patience.ts';

/** Returns the nth connection, which later tests use again. */
export type Connections = (nth: number) => PostgresConnection;

/** A harness for `postgresStorage` on these connections; each test has its own schema. */
export function postgresStorageHarness(
  connectionAt: Connections,
  admin: PostgresAdmin,
): StorageHarness {
  const schemas = postgresSchemas(admin);
  return {
    abilities: ['dump'],
    open: async ({ clock }) => {
      const schema = await schemas.take();
      let connected = 0;
      return {
        connect: async () => {
          connected += 1;
          return postgresStorage(connectionAt(connected - 1), {
            clock,
            schema,
            deadlineMs: PATIENT_MS,
          });
        },
        dump: () => dumpOf(admin, schema),
        close: async () => schemas.giveBack(schema),
      };
    },
  };
}

/** Every row of every table, as text. */
async function dumpOf(admin: PostgresAdmin, schema: string): Promise<string> {
  const dumps: string[] = [];
  for (const table of await tablesOf(admin, schema)) {
    const { rows } = await admin.query(`SELECT t::text AS row FROM ${schema}.${table} t`);
    dumps.push(table, ...rows.map(({ row }) => String(row)));
  }
  return dumps.join('\n');
}
