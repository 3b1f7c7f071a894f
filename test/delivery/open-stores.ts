import { memoryStorage } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { postgresStorage } from '@latchhook/postgres';
import { redisStorage } from '@latchhook/redis';
import { beforeAll, describe, onTestFinished } from 'vitest';
import {
  connect as connectPostgres,
  HAS_POSTGRES,
  openSchema,
  postgresUrl,
} from '../postgres/open-schema.ts';
import type { StorageEnvironment } from '../support/apps/spawn-delivery-worker.ts';
import { EVERY_CELL } from '../support/every-cell.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { openPglite, pgliteDatabase } from '../support/servers/shared-database.ts';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts';
import { connect as connectRedis } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

/** A store for one test, which several apps and workers share. */
export interface OpenStore {
  /** Opens the store on a new connection, if the storage has connections. */
  connect(): Storage;
}

/** A store on a server, which separate processes can use too. */
export interface ServedStore extends OpenStore {
  readonly environment: StorageEnvironment;
  /** The same store over a network with faults. */
  disturbed(): Promise<ServedStore & { readonly network: TcpProxy }>;
}

/** Without network faults, no call may time out because the machine is busy. */
const PATIENT = { deadlineMs: PATIENT_MS };

async function openMemory(): Promise<OpenStore> {
  const storage = memoryStorage();
  return { connect: () => storage };
}

async function openPgliteSchema(): Promise<OpenStore> {
  const { connection, schemas } = pgliteDatabase();
  const schema = await schemas.take();
  onTestFinished(() => schemas.giveBack(schema));
  return { connect: () => postgresStorage(connection, { schema, ...PATIENT }) };
}

export async function openRedis(): Promise<ServedStore> {
  // Separate processes use the default key prefix, so each test needs its own server.
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  return redisAt(server.url, PATIENT);
}

async function openPostgres(): Promise<ServedStore> {
  return postgresAt(postgresUrl(), await openSchema(), PATIENT);
}

function redisAt(url: string, options: { readonly deadlineMs?: number } = {}): ServedStore {
  return {
    connect: () => redisStorage(connectRedis(url, { maxRetriesPerRequest: 1 }), options),
    environment: { redisUrl: url },
    async disturbed() {
      const network = await startNetwork(url);
      return { ...redisAt(network.url), network };
    },
  };
}

function postgresAt(
  url: string,
  schema: string,
  options: { readonly deadlineMs?: number } = {},
): ServedStore {
  const connect = () => connectPostgres(url, { connectionTimeoutMillis: 1_000 });
  return {
    connect: () => postgresStorage(connect(), { schema, ...options }),
    environment: { postgres: { url, schema } },
    async disturbed() {
      const network = await startNetwork(url);
      const disturbed = new URL(url);
      disturbed.host = `127.0.0.1:${network.port}`;
      return { ...postgresAt(disturbed.href, schema), network };
    },
  };
}

async function startNetwork(url: string): Promise<TcpProxy> {
  const network = await startTcpProxy(url);
  onTestFinished(() => network.stop());
  return network;
}

/** Registers tests for each storage. PGlite has the SQL of PostgreSQL, so only a run of every cell includes it. */
export function onEveryStore(define: (open: () => Promise<OpenStore>) => void): void {
  describe('memory', () => define(openMemory));
  describe.runIf(EVERY_CELL)('pglite', () => {
    beforeAll(openPglite);
    define(openPgliteSchema);
  });
  onServedStores(define);
}

/**
 * Registers tests for each storage that processes can share. A run without PostgreSQL skips and reports its tests.
 */
export function onServedStores(define: (open: () => Promise<ServedStore>) => void): void {
  describe('redis', () => define(openRedis));
  describe.skipIf(!HAS_POSTGRES)('postgres', () => define(openPostgres));
}
