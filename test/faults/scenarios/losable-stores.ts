import type { Storage } from '@latchhook/core/storage';
import { migrate as migrateMysql, mysqlStorage } from '@latchhook/mysql';
import { postgresStorage } from '@latchhook/postgres';
import { redisStorage } from '@latchhook/redis';
import { sqliteStorage } from '@latchhook/sqlite';
import { createPool } from 'mysql2/promise';
import { onTestFinished } from 'vitest';
import { connect as connectPostgres, openSchema } from '../../postgres/open-schema.ts';
import { migratedFile } from '../../sqlite/open-file.ts';
import type { StorageEnvironment } from '../../support/apps/spawn-delivery-worker.ts';
import { findMariadbServer } from '../../support/servers/find-mariadb-server.ts';
import { findPostgresServer } from '../../support/servers/find-postgres-server.ts';
import { startMariadbServer } from '../../support/servers/mariadb-server.ts';
import { startPostgresServer } from '../../support/servers/postgres-server.ts';
import { startRedisServer } from '../../support/servers/redis-server.ts';
import { connect as connectRedis } from '../../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../../support/time/patience.ts';

/** A store of one test, with the durability of production, that can be lost. */
export interface LosableStore {
  readonly environment: StorageEnvironment;
  /** The environment at another address, such as that of a proxy, if the store is a server. */
  readonly server?: { readonly url: string; at(url: string): StorageEnvironment };
  connect(): Storage;
  lose(): Promise<void>;
  bringBack(): Promise<void>;
}

/** How a store is lost. */
export interface StoreLoss {
  readonly store: string;
  readonly loss: string;
  /** Whether this machine has the server. */
  readonly isHere: boolean;
  /** How many deliveries it can send while workers are killed for twenty seconds. */
  readonly deliveries: number;
  open(): Promise<LosableStore>;
}

const postgresPrograms = await findPostgresServer();
const mariadb = findMariadbServer();

/** No call of the publisher may time out because thousands run in parallel. */
const PATIENT = { deadlineMs: PATIENT_MS };

/** SIGKILL and a restart, or SIGSTOP and SIGCONT. */
type ServerLoss = 'killed' | 'stopped';

interface LosableServer {
  kill9(): Promise<void>;
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
}

function lossOf(server: LosableServer, loss: ServerLoss): Pick<LosableStore, 'lose' | 'bringBack'> {
  return {
    lose: async () => (loss === 'killed' ? server.kill9() : server.pause()),
    bringBack: async () => (loss === 'killed' ? server.restart() : server.resume()),
  };
}

async function openRedis(loss: ServerLoss): Promise<LosableStore> {
  const server = await startRedisServer({
    config: { appendonly: 'yes', appendfsync: 'everysec', 'maxmemory-policy': 'noeviction' },
  });
  onTestFinished(() => server.stop());
  return {
    environment: { redisUrl: server.url },
    connect: () => redisStorage(connectRedis(server.url, { maxRetriesPerRequest: 1 })),
    ...lossOf(server, loss),
  };
}

async function openPostgres(): Promise<LosableStore> {
  if (postgresPrograms === undefined) throw new Error('PostgreSQL is not installed');
  const server = await startPostgresServer(postgresPrograms, { config: { fsync: 'on' } });
  onTestFinished(() => server.stop());
  const schema = await openSchema(server.url);
  const at = (url: string) => ({ postgres: { url, schema } });
  return {
    environment: at(server.url),
    server: { url: server.url, at },
    connect: () => postgresStorage(connectPostgres(server.url), { schema, ...PATIENT }),
    lose: () => server.kill9(),
    bringBack: () => server.restart(),
  };
}

async function openMysql(loss: ServerLoss): Promise<LosableStore> {
  if (mariadb === undefined) throw new Error('MariaDB is not installed');
  const variables = { 'innodb-flush-log-at-trx-commit': '1' };
  const server = await startMariadbServer(mariadb, { variables });
  onTestFinished(() => server.stop());
  // InnoDB cannot recover files that were never closed.
  await server.restart();
  const admin = createPool(server.url);
  await admin.query('CREATE DATABASE deliveries');
  await admin.end();
  const url = `${server.url}deliveries`;
  const pool = createPool({ uri: url, connectTimeout: 1_000 });
  // `end` rejects if a connection was killed.
  onTestFinished(() => pool.end().catch(() => {}));
  await migrateMysql(pool);
  const at = (mysqlUrl: string) => ({ mysqlUrl });
  return {
    environment: at(url),
    server: { url, at },
    connect: () => mysqlStorage({ pool, ...PATIENT }),
    ...lossOf(server, loss),
  };
}

/** A file is lost while another connection has its lock for writing. */
async function openSqlite(): Promise<LosableStore> {
  const file = await migratedFile();
  const other = file.open();
  other.exec('PRAGMA busy_timeout = 10000');
  return {
    environment: { sqliteFile: file.path },
    connect: () => sqliteStorage({ database: file.open(), ...PATIENT }),
    lose: async () => void other.exec('BEGIN IMMEDIATE'),
    bringBack: async () => void other.exec('COMMIT'),
  };
}

const redis = { store: 'Redis', isHere: true, deliveries: 10_000 };
const postgres = {
  store: 'PostgreSQL',
  isHere: postgresPrograms !== undefined,
  deliveries: 10_000,
};
const mysql = { store: 'MariaDB', isHere: mariadb !== undefined, deliveries: 2_000 };
const sqlite = { store: 'SQLite', isHere: true, deliveries: 10_000 };

/** Each storage, with the loss that happens to it most likely. */
export const STORES: readonly StoreLoss[] = [
  { ...redis, loss: 'killed', open: () => openRedis('killed') },
  { ...postgres, loss: 'killed', open: openPostgres },
  { ...mysql, loss: 'killed', open: () => openMysql('killed') },
  { ...sqlite, loss: 'locked', open: openSqlite },
];

export const STORE_LOSSES: readonly StoreLoss[] = [
  ...STORES,
  { ...redis, loss: 'stopped', open: () => openRedis('stopped') },
  { ...mysql, loss: 'stopped', open: () => openMysql('stopped') },
];
