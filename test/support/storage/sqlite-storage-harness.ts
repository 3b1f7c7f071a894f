import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { migrate, sqliteStorage } from '@latchhook/sqlite';
import { PATIENT_MS } from '../time/patience.ts';
import type { SqliteDriver, SqliteTestDatabase } from './sqlite-drivers.ts';

export interface OpenSqlite {
  readonly file: string;
  connect(): Promise<Required<Storage>>;
  dump(): Promise<string>;
  close(): Promise<void>;
}

/** Opens files with these drivers in turn, so that connections of several meet in one file. */
export function sqliteStorageHarness(drivers: readonly [SqliteDriver, ...SqliteDriver[]]) {
  return {
    async open({ clock }: { readonly clock?: Clock }): Promise<OpenSqlite> {
      const folder = await mkdtemp(join(tmpdir(), 'latchhook-sqlite-'));
      const file = join(folder, 'auth.db');
      const databases: SqliteTestDatabase[] = [];
      const openFile = () => {
        const { open } = drivers[databases.length % drivers.length] ?? drivers[0];
        const database = open(file);
        databases.push(database);
        return database;
      };
      const admin = openFile();
      await migrate(admin);
      return {
        file,
        async connect() {
          const database = openFile();
          const storage = sqliteStorage({
            database,
            deadlineMs: PATIENT_MS,
            ...(clock === undefined ? {} : { clock }),
          });
          // Nobody pulls the plug of a test.
          database.exec('PRAGMA synchronous = OFF');
          return storage;
        },
        async dump() {
          const tables = ['latchhook_rows', 'latchhook_places'];
          const rows = tables.flatMap((table) => admin.prepare(`SELECT * FROM ${table}`).all());
          return rows.map((row) => JSON.stringify(row)).join('\n');
        },
        async close() {
          for (const database of databases) database.close();
          await rm(folder, { recursive: true });
        },
      };
    },
  };
}
