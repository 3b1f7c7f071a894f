import { describe, expect, it } from 'vitest';
import { ACCOUNT_ID, register } from '../support/storage/webhook-samples.ts';
import { openStores } from './delivery-fixture.ts';
import { HAS_POSTGRES } from './open-schema.ts';

const MOST_COUNTED = 100_000;

/** A webhook with this many messages, of which no attempt was claimed. */
async function openBacklog(messages: number) {
  const stores = await openStores({ max: 1 });
  const { webhooks, deliveries, pool, schema } = stores;
  await register(webhooks, 'w1');
  // Often enough that the server caches the plans, made for empty tables.
  for (let round = 0; round < 10; round += 1) await deliveries.stats();
  await pool.query(
    `INSERT INTO ${schema}.messages
       (message, account_id, message_id, event, body, queues, created_at_ms, expires_at_ms)
     SELECT n, ${ACCOUNT_ID}, 'm' || n, 'Contact.Added', '{}', ARRAY(SELECT queue FROM ${schema}.queues), 0, 9e15
       FROM generate_series(1, ${messages}) AS n`,
  );
  await pool.query(
    `INSERT INTO ${schema}.deliveries (queue, message, created_at_ms)
     SELECT queues[1], message, created_at_ms FROM ${schema}.messages`,
  );
  const readRows = async (): Promise<readonly number[]> => {
    await pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS count
         FROM pg_stat_user_tables WHERE schemaname = $1 ORDER BY relname`,
      [schema],
    );
    return rows.map(({ count }) => count);
  };
  /** The stats, and how many rows were read for them from the table of which most were read. */
  const measure = async () => {
    const before = await readRows();
    const stats = await deliveries.stats();
    const after = await readRows();
    return { ...stats, mostRead: Math.max(...after.map((rows, i) => rows - (before[i] ?? 0))) };
  };
  return { ...stores, measure };
}

type Backlog = Awaited<ReturnType<typeof openBacklog>>;

const backlogs: readonly (readonly [
  what: string,
  prepare: (backlog: Backlog) => Promise<unknown>,
])[] = [
  [
    'that claims have seen',
    ({ pool, schema }) => pool.query(`UPDATE ${schema}.queues SET due_at_ms = 1`),
  ],
  [
    'that no claim has seen',
    ({ pool, schema }) =>
      pool.query(
        `INSERT INTO ${schema}.arrivals (account_id, messages, written_at_ms)
           SELECT account_id, ARRAY[message], message FROM ${schema}.messages ORDER BY message`,
      ),
  ],
  [
    'that wait for a retry',
    ({ pool, schema }) =>
      pool.query(
        `WITH retried AS (UPDATE ${schema}.deliveries SET retry_at_ms = message)
           UPDATE ${schema}.queues SET due_at_ms = 1, last_taken = 9e15`,
      ),
  ],
  [
    'that wait in the outbox',
    ({ pool, schema }) =>
      pool.query(
        `INSERT INTO ${schema}.outbox (account_id, message_id, event, body, idempotency_ms,
               retention_ms, max_queued, written_at_ms)
           SELECT account_id, message_id, event, '{}', 1, 1, 1, message
             FROM ${schema}.messages ORDER BY message`,
      ),
  ],
];

describe.skipIf(!HAS_POSTGRES)('the stats of deliveries in PostgreSQL', () => {
  it.each(backlogs)('count at most 100,000 of 150,000 deliveries %s', async (_what, prepare) => {
    const backlog = await openBacklog(MOST_COUNTED + 50_000);
    await prepare(backlog);
    const { pending, oldestDueAgeMs, mostRead } = await backlog.measure();
    expect(pending).toBe(MOST_COUNTED);
    expect(Date.now() - oldestDueAgeMs).toBeLessThan(60_000);
    expect(mostRead).toBeLessThan(MOST_COUNTED + 100);
  });

  it.each(backlogs)('count each of 1,000 deliveries %s', async (_what, prepare) => {
    const backlog = await openBacklog(1_000);
    await prepare(backlog);
    expect(await backlog.measure()).toMatchObject({ pending: 1_000 });
  });
});
