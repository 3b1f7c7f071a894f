import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, memoryStorage } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { mysqlStorage } from '@latchhook/mysql';
import { postgresStorage } from '@latchhook/postgres';
import { redisStorage } from '@latchhook/redis';
import { migrate, sqliteStorage } from '@latchhook/sqlite';
import { Cluster, Redis } from 'ioredis';
import { inject } from 'vitest';
import {
  giveMysqlDatabaseBack,
  HAS_MYSQL,
  mysqlPool,
  takeMysqlDatabase,
} from '../servers/mysql-databases.ts';
import {
  pgliteDatabase,
  postgresDatabase,
  type SharedDatabase,
} from '../servers/shared-database.ts';
import { PATIENT_MS } from '../time/patience.ts';
import { SQLITE_DRIVERS } from './sqlite-drivers.ts';

export type StorageKind =
  | 'memory'
  | 'redis'
  | 'cluster'
  | 'postgres'
  | 'pglite'
  | 'sqlite'
  | 'mysql';

/** A storage for one app, and for the apps that are started with it as `sharedWith`. */
export interface CellStorage {
  readonly storage: Storage;
  /** The location of the data: a key prefix, a schema, a file or a database. */
  readonly place: string;
  /** Closes the connections of the app. Afterwards other apps reuse the place. */
  close(): void;
}

export interface CellStorageOptions {
  readonly clock: Clock;
  /** Another storage, whose place is shared over a new connection. */
  readonly sharedWith?: CellStorage | undefined;
}

export function openCellStorage(
  kind: StorageKind,
  options: CellStorageOptions,
): Promise<CellStorage> {
  switch (kind) {
    case 'memory':
      return openMemory(options);
    case 'redis':
      return openRedis(new Redis(inject('redisUrl')), options);
    case 'cluster':
      return openRedis(new Cluster([...inject('redisClusterNodes')]), options);
    case 'postgres':
      return openPostgres(postgresDatabase(), options);
    case 'pglite':
      return openPostgres(pgliteDatabase(), options);
    case 'sqlite':
      return openSqlite(options);
    case 'mysql':
      return openMysql(options);
  }
}

/** Whether the test run has the server for this kind of storage. */
export function isHere(kind: StorageKind): boolean {
  if (kind === 'postgres') return inject('postgresUrl') !== null;
  if (kind === 'mysql') return HAS_MYSQL;
  return kind !== 'cluster' || inject('redisClusterNodes').length > 0;
}

async function openMemory({ clock }: CellStorageOptions): Promise<CellStorage> {
  return { storage: memoryStorage({ clock }), place: '', close: () => {} };
}

async function openRedis(
  client: Redis | Cluster,
  { clock, sharedWith }: CellStorageOptions,
): Promise<CellStorage> {
  const place = sharedWith?.place ?? `e2e-${randomUUID()}`;
  return {
    storage: redisStorage(client, { clock, keyPrefix: place, deadlineMs: PATIENT_MS }),
    place,
    close: () => client.disconnect(),
  };
}

async function openPostgres(
  { connection, neighbour, schemas }: SharedDatabase,
  { clock, sharedWith }: CellStorageOptions,
): Promise<CellStorage> {
  const options = { clock, deadlineMs: PATIENT_MS };
  if (sharedWith !== undefined) {
    const storage = postgresStorage(neighbour, { ...options, schema: sharedWith.place });
    return { storage, place: sharedWith.place, close: () => {} };
  }
  const place = await schemas.take();
  return {
    storage: postgresStorage(connection, { ...options, schema: place }),
    place,
    close: () => schemas.giveBack(place),
  };
}

async function openSqlite({ clock, sharedWith }: CellStorageOptions): Promise<CellStorage> {
  const place = sharedWith?.place ?? mkdtempSync(join(tmpdir(), 'latchhook-sqlite-'));
  const database = SQLITE_DRIVERS[0].open(join(place, 'auth.db'));
  database.exec('PRAGMA synchronous = OFF');
  if (sharedWith === undefined) await migrate(database);
  const storage = sqliteStorage({ database, clock, deadlineMs: PATIENT_MS });
  // Again, because `sqliteStorage` sets it to FULL.
  database.exec('PRAGMA synchronous = OFF');
  return {
    storage,
    place,
    close() {
      database.close();
      if (sharedWith === undefined) rmSync(place, { recursive: true });
    },
  };
}

async function openMysql({ clock, sharedWith }: CellStorageOptions): Promise<CellStorage> {
  const place = sharedWith?.place ?? (await takeMysqlDatabase());
  const pool = mysqlPool(place, { connectionLimit: 4 });
  return {
    storage: mysqlStorage({ pool, clock, deadlineMs: PATIENT_MS }),
    place,
    close() {
      void pool.end().then(() => {
        if (sharedWith === undefined) giveMysqlDatabaseBack(place);
      });
    },
  };
}
