import { describe, expect, it, onTestFinished } from 'vitest';
import { HAS_POSTGRES, postgresUrl } from '../postgres/open-schema.ts';
import { findPostgresServer } from '../support/servers/find-postgres-server.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { seededRandom } from '../support/storage/seeded-random.ts';
import { reportFigures } from './report-figures.ts';
import { crashPostgres } from './scenarios/crash-postgres.ts';
import { killOutbox } from './scenarios/kill-outbox.ts';
import { quietOutbox } from './scenarios/quiet-outbox.ts';

/** How long PostgreSQL's answers are delayed, so that many a kill comes between a commit and its answer, ms. */
const ANSWER_DELAY_MS = 10;
const TRANSACTIONS = 1_000;

/** What must not happen, whatever is killed. */
const EXACT = { lost: 0, invented: 0, broken: 0, outOfOrder: 0 };

const ENGINES = [
  { engine: 'in-process', seed: 1 },
  { engine: 'BullMQ', seed: 2 },
];

const programs = await findPostgresServer();

/** The URL of a proxy that delays the answers of a PostgreSQL. */
async function slowWayTo(postgres: string): Promise<string> {
  const proxy = await startTcpProxy(postgres);
  onTestFinished(() => proxy.stop());
  await proxy.delay(ANSWER_DELAY_MS);
  const url = new URL(postgres);
  url.host = `127.0.0.1:${proxy.port}`;
  return url.href;
}

async function queueOf(engine: string): Promise<{ readonly redisUrl?: string }> {
  if (engine !== 'BullMQ') return {};
  const redis = await startRedisServer({ config: { 'maxmemory-policy': 'noeviction' } });
  onTestFinished(() => redis.stop());
  return { redisUrl: redis.url };
}

async function ownPostgres(config: Readonly<Record<string, string>>) {
  if (programs === undefined) throw new Error('there is none');
  const server = await startPostgresServer(programs, { config });
  onTestFinished(() => server.stop());
  return { server, url: server.url };
}

describe.skipIf(!HAS_POSTGRES)('an event of a transaction', () => {
  it.each(ENGINES)(
    'is sent if that commits, and only then, whatever is killed: $engine',
    async (run) => {
      const figures = await killOutbox(
        {
          url: postgresUrl(),
          urlOfProcesses: await slowWayTo(postgresUrl()),
          ...(await queueOf(run.engine)),
          transactions: TRANSACTIONS,
        },
        seededRandom(run.seed),
      );
      reportFigures(`kill -9 of hosts and relays, ${run.engine}`, figures);
      expect(figures).toMatchObject({ begun: TRANSACTIONS, ...EXACT });
      // Otherwise the case in question did not come up.
      expect(figures.inDoubtCommitted).toBeGreaterThan(0);
      expect(figures.inDoubtCommitted).toBeLessThan(figures.inDoubt);
    },
  );
});

describe.skipIf(programs === undefined)('an outbox on a PostgreSQL of its own', () => {
  it('sends what commits, and only that, though PostgreSQL is killed', async () => {
    // `synchronous_commit` is on by default.
    const { server, url } = await ownPostgres({ fsync: 'on' });
    const figures = await crashPostgres(
      server,
      { url, urlOfProcesses: await slowWayTo(url), transactions: TRANSACTIONS },
      seededRandom(3),
    );
    reportFigures('kill -9 of PostgreSQL', figures);
    expect(figures).toMatchObject({ begun: TRANSACTIONS, ...EXACT });
    expect(figures.serverKills).toBeGreaterThan(0);
    expect(figures.backendKills).toBeGreaterThan(0);
  });

  it.each(ENGINES)(
    'is quick while there is little to do, and idle while there is nothing to do: $engine',
    async ({ engine }) => {
      const { url } = await ownPostgres({ fsync: 'on', autovacuum: 'off' });
      const figures = await quietOutbox({ url, ...(await queueOf(engine)) }, 500);
      reportFigures(`a quiet outbox, ${engine}`, figures);
      expect(figures.p99Ms).toBeLessThan(1_000);
      // Two queries every five seconds, and that of this test.
      expect(figures.idleTransactionsAMinute).toBeLessThanOrEqual(35);
    },
  );
});
