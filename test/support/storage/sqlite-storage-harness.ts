import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@latchhook/core';
import { migrate, type SqliteStorageOptions, sqliteEngine, sqliteStorage } from '@latchhook/sqlite';
import { PATIENT_MS } from '../time/patience.ts';
import type { SqliteDriver, SqliteTestDatabase } from './sqlite-drivers.ts';

export interface OpenSqlite<Connection> {
  readonly file: string;
  connect(): Promise<Connection>;
  dump(): Promise<string>;
  close(): Promise<void>;
}

type ClockOption = { readonly clock?: Clock };
type Drivers = readonly [SqliteDriver, ...SqliteDriver[]];

/** Opens each file with these drivers in turn, so that connections of different drivers share a file. */
export function sqliteStorageHarness(drivers: Drivers) {
  return {
    abilities: ['dump'],
    open: ({ clock }: ClockOption) => openSqlite(drivers, sqliteStorage, clock),
  } as const;
}

/** For the engine of `sqliteStorage`. */
export function sqliteEngineHarness(drivers: Drivers) {
  return {
    open: ({ clock }: ClockOption) => openSqlite(drivers, sqliteEngine, clock),
  };
}

async function openSqlite<Connection>(
  drivers: Drivers,
  make: (options: SqliteStorageOptions) => Connection,
  clock: Clock | undefined,
): Promise<OpenSqlite<Connection>> {
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
      const connection = make({
        database,
        deadlineMs: PATIENT_MS,
        ...(clock === undefined ? {} : { clock }),
      });
      // Tests need no durability.
      database.exec('PRAGMA synchronous = OFF');
      return connection;
    },
    async dump() {
      const tables = ['latchhook_rows', 'latchhook_index_entries'];
      const rows = tables.flatMap((table) => admin.prepare(`SELECT * FROM ${table}`).all());
      return rows.map((row) => JSON.stringify(row)).join('\n');
    },
    async close() {
      for (const database of databases) database.close();
      await rm(folder, { recursive: true });
    },
  };
}
