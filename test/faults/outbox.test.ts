import { describe, expect, it, onTestFinished } from 'vitest';
import { HAS_POSTGRES, postgresUrl } from '../postgres/open-schema.ts';
import { findPostgresServer } from '../support/servers/find-postgres-server.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { seededRandom } from '../support/storage/seeded-random.ts';
import { reportFigures } from './report-figures.ts';
import { burstOutbox } from './scenarios/burst-outbox.ts';
import { crashPostgres } from './scenarios/crash-postgres.ts';
import { killOutbox } from './scenarios/kill-outbox.ts';
import { publishWhileSending } from './scenarios/publish-while-sending.ts';
import { quietOutbox } from './scenarios/quiet-outbox.ts';

/** The delay of PostgreSQL's replies, ms, by which many kills come between a commit and its reply. */
const ANSWER_DELAY_MS = 10;
const TRANSACTIONS = 1_000;
/** Transactions besides the polls: one reads the count, one completes a lease. */
const BESIDES_THE_POLL = 2;

/** The figures that must be zero, whichever process is killed. */
const EXACT = { lost: 0, invented: 0, broken: 0, outOfOrder: 0 };

const programs = await findPostgresServer();

/** Starts a proxy that delays the replies of a PostgreSQL; resolves to its URL. */
async function startSlowProxy(postgres: string): Promise<string> {
  const proxy = await startTcpProxy(postgres);
  onTestFinished(() => proxy.stop());
  await proxy.delay(ANSWER_DELAY_MS);
  const url = new URL(postgres);
  url.host = `127.0.0.1:${proxy.port}`;
  return url.href;
}

async function ownPostgres(config: Readonly<Record<string, string>>) {
  if (programs === undefined) throw new Error('there is none');
  const server = await startPostgresServer(programs, { config });
  onTestFinished(() => server.stop());
  return { server, url: server.url };
}

describe.skipIf(!HAS_POSTGRES)('an event published in a transaction', () => {
  it('is sent if and only if the transaction commits, while hosts and workers are killed', async () => {
    const place = {
      url: postgresUrl(),
      urlOfProcesses: await startSlowProxy(postgresUrl()),
      transactions: TRANSACTIONS,
    };
    const figures = await killOutbox(place, seededRandom(1));
    reportFigures('kill -9 of hosts and workers', figures);
    expect(figures).toMatchObject({ begun: TRANSACTIONS, ...EXACT });
    expect(figures.committed).toBeGreaterThan(TRANSACTIONS / 3);
    // Otherwise no kill came between a commit and its reply.
    expect(figures.uncertainCommitted).toBeGreaterThan(0);
    expect(figures.uncertainCommitted).toBeLessThan(figures.uncertain);
  });
});

describe.skipIf(programs === undefined)('an outbox on a separate PostgreSQL server', () => {
  it('sends exactly the committed events while PostgreSQL is killed', async () => {
    // `synchronous_commit` is on by default.
    const { server, url } = await ownPostgres({ fsync: 'on' });
    const figures = await crashPostgres(
      server,
      { url, urlOfProcesses: await startSlowProxy(url), transactions: TRANSACTIONS },
      seededRandom(3),
    );
    reportFigures('kill -9 of PostgreSQL', figures);
    expect(figures).toMatchObject({ begun: TRANSACTIONS, ...EXACT });
    expect(figures.committed).toBeGreaterThan(TRANSACTIONS / 3);
    expect(figures.serverKills).toBeGreaterThan(0);
    expect(figures.backendKills).toBeGreaterThan(0);
  });

  it('sends single events within a second, and polls once a second while idle', async () => {
    const { url } = await ownPostgres({ fsync: 'on', autovacuum: 'off' });
    const figures = await quietOutbox(url, 500);
    reportFigures('a quiet outbox', figures);
    expect(figures.p99Ms).toBeLessThan(1_000);
    expect(figures.idleTransactionsAMinute).toBeLessThanOrEqual(60 + BESIDES_THE_POLL);
  });

  it('sends a burst of 3,000 events without a pause, and events of another webhook during the burst', async () => {
    const { url } = await ownPostgres({ fsync: 'on' });
    const figures = await burstOutbox(url, 3_000);
    reportFigures('a burst in one transaction', figures);
    expect(figures.longestGapMs).toBeLessThanOrEqual(100);
    expect(figures.ratio).toBeLessThanOrEqual(2);
  });

  it('accepts events while a worker sends, at 70 % or more of the rate without a worker', async () => {
    const { url } = await ownPostgres({ fsync: 'on' });
    const figures = await publishWhileSending(url, 2_000);
    reportFigures('publishing while sending', figures);
    // Otherwise the worker was idle for a part of the time.
    expect(figures.pendingAtEnd).toBeGreaterThan(0);
    expect(figures.sentMeanwhile).toBeGreaterThan(0);
    expect(figures.share).toBeGreaterThanOrEqual(0.7);
  });
});
