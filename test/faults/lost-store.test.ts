import { postgresStorage } from '@latchhook/postgres';
import { redisStorage } from '@latchhook/redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect as connectPostgres, openSchema } from '../postgres/open-schema.ts';
import { findPostgresServer } from '../support/servers/find-postgres-server.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect as connectRedis } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { reportFigures } from './report-figures.ts';
import { type LosableStore, loseStore } from './scenarios/lose-store.ts';

/** The limit of attempts in flight for twenty webhooks, ten each. */
const IN_FLIGHT = 200;
const MAX_CALLS_A_SECOND = 10;
const BACKLOG = 3_000;

const programs = await findPostgresServer();

async function startLosableRedis(loss: 'killed' | 'stopped'): Promise<LosableStore> {
  const server = await startRedisServer({
    config: { appendonly: 'yes', appendfsync: 'everysec', 'maxmemory-policy': 'noeviction' },
  });
  onTestFinished(() => server.stop());
  return {
    environment: { redisUrl: server.url },
    connect: () => redisStorage(connectRedis(server.url, { maxRetriesPerRequest: 1 })),
    lose: async () => (loss === 'killed' ? server.kill9() : server.pause()),
    bringBack: async () => (loss === 'killed' ? server.restart() : server.resume()),
  };
}

async function startLosablePostgres(): Promise<LosableStore> {
  if (programs === undefined) throw new Error('PostgreSQL is not installed');
  const server = await startPostgresServer(programs, { config: { fsync: 'on' } });
  onTestFinished(() => server.stop());
  const schema = await openSchema(server.url);
  return {
    environment: { postgres: { url: server.url, schema } },
    connect: () => postgresStorage(connectPostgres(server.url), { schema, deadlineMs: PATIENT_MS }),
    lose: () => server.kill9(),
    bringBack: () => server.restart(),
  };
}

function testLoss(name: string, open: () => Promise<LosableStore>): void {
  it.each([
    { when: 'idle', backlog: 0 },
    { when: 'busy', backlog: BACKLOG },
  ])('polls seldom, loses no delivery and recovers by itself: $when', async ({ when, backlog }) => {
    const figures = await loseStore(await open(), { backlog });
    reportFigures(`30 s without its store, ${name}, ${when}`, figures);
    expect(figures.lost).toBe(0);
    expect(figures.duplicates).toBeLessThanOrEqual(backlog === 0 ? 0 : IN_FLIGHT);
    expect(figures.askedInBusiestSecond).toBeLessThanOrEqual(MAX_CALLS_A_SECOND);
  });
}

describe('a worker whose Redis was killed', () => {
  testLoss('Redis killed', () => startLosableRedis('killed'));
});

describe('a worker whose Redis was stopped', () => {
  testLoss('Redis stopped', () => startLosableRedis('stopped'));
});

describe.skipIf(programs === undefined)('a worker whose PostgreSQL was killed', () => {
  testLoss('PostgreSQL killed', startLosablePostgres);
});
