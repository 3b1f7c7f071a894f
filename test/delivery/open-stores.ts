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
import type { DeliveryEnvironment } from '../support/apps/spawn-delivery-worker.ts';
import { EVERY_CELL } from '../support/every-cell.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { openPglite, pgliteDatabase } from '../support/servers/shared-database.ts';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts';
import { connect as connectRedis } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

/** A store for one test, which any number of apps and workers share. */
export interface OpenStore {
  /** Over its own connection, where there are connections. */
  connect(): Storage;
}

/** A store on a server, for processes of their own too. */
export interface ServedStore extends OpenStore {
  readonly environment: Omit<DeliveryEnvironment, 'encryptionKey'>;
  /** The same store, over a network that can be disturbed. */
  disturbed(): Promise<ServedStore & { readonly network: TcpProxy }>;
}

/** Where nothing is disturbed, no call is late because the machine is busy. */
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
  // Processes of their own have the usual prefix, so the server is this test's alone.
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

/** Registers tests for each storage. On PGlite too, which has the SQL of PostgreSQL, where the run has every cell. */
export function onEveryStore(define: (open: () => Promise<OpenStore>) => void): void {
  describe('memory', () => define(openMemory));
  describe.runIf(EVERY_CELL)('pglite', () => {
    beforeAll(openPglite);
    define(openPgliteSchema);
  });
  onServedStores(define);
}

/**
 * Registers tests for each storage that processes share. Those on PostgreSQL are skipped where the run has none, which
 * it has reported.
 */
export function onServedStores(define: (open: () => Promise<ServedStore>) => void): void {
  describe('redis', () => define(openRedis));
  describe.skipIf(!HAS_POSTGRES)('postgres', () => define(openPostgres));
}
