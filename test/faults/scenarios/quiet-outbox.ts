import { setTimeout as elapsed } from 'node:timers/promises';
import { postgresStorage } from '@latchhook/postgres';
import type { Pool } from 'pg';
import { connect, openSchema } from '../../postgres/open-schema.ts';
import { spawnDeliveryWorker } from '../../support/apps/spawn-delivery-worker.ts';
import { startPublisherOn } from '../../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../../support/deliveries/counting-receiver.ts';

const ACCOUNT_ID = 1;
const UNMEASURED = 50;
const ARRIVES_WITHIN_MS = 10_000;
/** PostgreSQL's statistics of a connection may be ten seconds late, or wait for the end of the connection, ms. */
const SETTLED_MS = 25_000;
const MINUTE_MS = 60_000;

export interface QuietOutboxFigures {
  /** From the reply to the host's commit to the arrival at the receiver, ms. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Transactions of a worker while nothing is published. */
  readonly idleTransactionsAMinute: number;
}

/** Measures an outbox under little load: one worker, first with one transaction at a time, then with none. */
export async function quietOutbox(url: string, transactions: number): Promise<QuietOutboxFigures> {
  const receiver = await startCountingReceiver();
  const schema = await openSchema(url);
  const pool = connect(url);
  const publisher = await startPublisherOn(postgresStorage(pool, { schema }));
  await publisher.register(ACCOUNT_ID, { url: receiver.url, rate_limit: 10_000 });
  await spawnDeliveryWorker({
    postgres: { url, schema },
    encryptionKey: publisher.encryptionKey,
  });

  const tookMs: number[] = [];
  for (let i = 0; i < UNMEASURED + transactions; i += 1) {
    const tx = await pool.connect();
    await tx.query('BEGIN');
    const message = { accountId: ACCOUNT_ID, data: { i } };
    const { id } = await publisher.auth.events.publish('Contact.Added', message, { tx });
    await tx.query('COMMIT');
    const committedMs = performance.timeOrigin + performance.now();
    tx.release();
    await receiver.untilDistinct(i + 1, ARRIVES_WITHIN_MS);
    const arrivedMs = receiver.arrivals.get(id)?.[0] ?? Number.POSITIVE_INFINITY;
    if (i >= UNMEASURED) tookMs.push(arrivedMs - committedMs);
  }
  tookMs.sort((a, b) => a - b);
  const percentile = (share: number) => tookMs[Math.floor(share * tookMs.length)] ?? Number.NaN;

  await elapsed(SETTLED_MS);
  const before = await transactionsSoFar(pool);
  await elapsed(MINUTE_MS);
  return {
    p50Ms: Math.round(percentile(0.5) * 10) / 10,
    p99Ms: Math.round(percentile(0.99) * 10) / 10,
    idleTransactionsAMinute: (await transactionsSoFar(pool)) - before,
  };
}

/** The number of transactions of all clients so far. */
async function transactionsSoFar(pool: Pool): Promise<number> {
  const { rows } = await pool.query(`SELECT xact_commit + xact_rollback AS count
    FROM pg_stat_database WHERE datname = current_database()`);
  return Number(rows[0].count);
}
