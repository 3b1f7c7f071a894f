import { describe, expect, it } from 'vitest';
import {
  CLAIM,
  claimOnce,
  completeAll,
  DELIVERED,
  EXHAUSTED,
  retryIn,
} from '../redis/claim-samples.ts';
import {
  ACCOUNT_ID,
  deliveryTo,
  newMessage,
  register,
} from '../support/storage/webhook-samples.ts';
import { keyedMessage, openStores } from './delivery-fixture.ts';
import { HAS_POSTGRES } from './open-schema.ts';

const TABLES = [
  'webhooks',
  'queues',
  'messages',
  'deliveries',
  'leases',
  'arrivals',
  'outbox',
  'idempotency_keys',
];

const MANY = 100_000;

type Reads = Readonly<Record<string, { readonly rows: number; readonly scans: number }>>;

/** Stores on one connection, whose query plans were made while the statistics said that all tables are nearly empty. */
async function openPlanned() {
  const stores = await openStores({ max: 1 });
  const { webhooks, deliveries, pool, schema } = stores;
  for (const table of TABLES) {
    await pool.query(`ALTER TABLE ${schema}.${table} SET (autovacuum_enabled = off)`);
  }
  const ref = await register(webhooks, 'w1', { rateLimit: 10_000 });
  const outbox = deliveries.outbox ?? expect.fail();
  let nth = 0;
  const message = (name: string) => keyedMessage(`${name}${nth}`, { maxQueued: 1_000_000 });
  const calls = {
    publish: () => {
      nth += 1;
      return deliveries.publish(message('m'));
    },
    'publish again': () => deliveries.publish(message('m')),
    'publish within': () => outbox.publishWithin(pool, message('o')),
    claim: () => claimOnce(deliveries, { limit: 4 }),
    'claim and complete': async () => {
      const { attempts } = await claimOnce(deliveries, { limit: 4 });
      for (const [place, attempt] of attempts.entries()) {
        const outcome = [DELIVERED, retryIn(60_000), EXHAUSTED][place % 3] ?? DELIVERED;
        await completeAll(deliveries, [attempt], outcome);
      }
    },
    list: () => deliveries.list(ref, { limit: 10, after: null }),
    'list the oldest': () => deliveries.list(ref, { limit: 10, after: 5 }),
    redeliver: () => deliveries.redeliver(deliveryTo('w1', 'm1')),
    'redeliver failed': () => deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 5 }),
  };
  /** The rows read so far from each table, over the only connection. */
  const reads = async (): Promise<Reads> => {
    await pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `SELECT relname AS name, seq_scan::int AS scans,
           (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows
         FROM pg_stat_user_tables WHERE schemaname = $1`,
      [schema],
    );
    return Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts]));
  };
  /** Makes each call, and returns the rows that it has read from each table. */
  const costs = async () => {
    const costs: (readonly [call: string, reads: Reads])[] = [];
    for (const [name, call] of Object.entries(calls)) {
      const before = await reads();
      await call();
      const after = await reads();
      const spent = TABLES.map((table) => [
        table,
        {
          rows: (after[table]?.rows ?? 0) - (before[table]?.rows ?? 0),
          scans: (after[table]?.scans ?? 0) - (before[table]?.scans ?? 0),
        },
      ]);
      costs.push([name, Object.fromEntries(spent)]);
    }
    return costs;
  };
  await deliveries.publish(keyedMessage('m0'));
  for (const table of TABLES) await pool.query(`VACUUM ANALYZE ${schema}.${table}`);
  // Often enough that the server caches a generic plan.
  for (let round = 0; round < 10; round += 1) {
    for (const call of Object.values(calls)) await call();
  }
  return { ...stores, costs };
}

/** Expects that no call has scanned a whole table, or read more rows than its limit needs. */
function expectFrugal(costs: readonly (readonly [call: string, reads: Reads])[]): void {
  for (const [name, tables] of costs) {
    for (const [table, { rows, scans }] of Object.entries(tables)) {
      expect(scans, `${name} scans ${table}`).toBe(0);
      expect(rows, `${name} reads ${table}`).toBeLessThan(500);
    }
  }
}

type Planned = Awaited<ReturnType<typeof openPlanned>>;

/** Inserts messages with one delivery each to the webhook, as if published after all others. */
async function insertMany(
  { pool, schema }: Planned,
  state: 'fresh' | 'retried' | 'failed',
): Promise<void> {
  await pool.query(
    `INSERT INTO ${schema}.messages
       (message, account_id, message_id, event, body, queues, created_at_ms, expires_at_ms)
     SELECT message + n, account_id, 'many' || n, event, '{}', queues, created_at_ms, expires_at_ms
       FROM (SELECT * FROM ${schema}.messages ORDER BY message DESC LIMIT 1) newest,
            generate_series(1, ${MANY}) AS n`,
  );
  await pool.query(
    `INSERT INTO ${schema}.deliveries (queue, message, created_at_ms, state, reason, retry_at_ms)
     SELECT queues[1], message, created_at_ms,
            CASE $1 WHEN 'failed' THEN 'failed' ELSE 'waiting' END,
            CASE $1 WHEN 'failed' THEN 'exhausted' END,
            CASE $1 WHEN 'retried' THEN created_at_ms + 600000 END
       FROM ${schema}.messages WHERE message_id LIKE 'many%'`,
    [state],
  );
  if (state === 'fresh') return;
  await pool.query(
    `UPDATE ${schema}.queues SET last_taken = (SELECT max(message) FROM ${schema}.messages)`,
  );
}

const fixtures: readonly (readonly [
  what: string,
  prepare: (planned: Planned) => Promise<unknown>,
])[] = [
  ['that wait for their first attempt', (planned) => insertMany(planned, 'fresh')],
  ['that have failed', (planned) => insertMany(planned, 'failed')],
  ['that wait for a retry', (planned) => insertMany(planned, 'retried')],
  [
    'in flight for other accounts whose webhooks are not due',
    async ({ pool, schema }) => {
      await pool.query(
        `INSERT INTO ${schema}.leases (account_id, queue, message, attempt, claimed_at_ms, ends_at_ms)
           SELECT 1000000 + n, 1000000 + n, n, 1, created_at_ms, created_at_ms + ${CLAIM.leaseMs}
             FROM (SELECT max(created_at_ms) AS created_at_ms FROM ${schema}.messages) newest,
                  generate_series(1, ${MANY}) AS n`,
      );
      await pool.query(
        `INSERT INTO ${schema}.queues (queue, account_id, due_at_ms)
           SELECT 1000000 + n, 1000000 + n, created_at_ms + 600000
             FROM (SELECT max(created_at_ms) AS created_at_ms FROM ${schema}.messages) newest,
                  generate_series(1, ${MANY}) AS n`,
      );
    },
  ],
  [
    'that wait in the outbox',
    ({ pool, schema }) =>
      pool.query(
        `INSERT INTO ${schema}.outbox (account_id, message_id, event, body, idempotency_ms,
             retention_ms, max_queued, written_at_ms)
           SELECT ${ACCOUNT_ID}, 'many' || n, 'Contact.Added', '{}', 1000, 600000, 1000000, created_at_ms
             FROM (SELECT max(created_at_ms) AS created_at_ms FROM ${schema}.messages) newest,
                  generate_series(1, ${MANY}) AS n`,
      ),
  ],
];

describe.skipIf(!HAS_POSTGRES)('the query plans for deliveries in PostgreSQL', () => {
  it.each(fixtures)('use indexes with 100,000 deliveries %s', async (_what, prepare) => {
    const planned = await openPlanned();
    await prepare(planned);
    expectFrugal(await planned.costs());
  });

  it('use indexes with 100,000 waiting deliveries after ANALYZE', async () => {
    const planned = await openPlanned();
    await insertMany(planned, 'fresh');
    const { pool, schema } = planned;
    for (const table of TABLES) await pool.query(`ANALYZE ${schema}.${table}`);
    expectFrugal(await planned.costs());
  });

  it('read few dead index entries when publishing over the limit of the queue', async () => {
    const stores = await openStores({ max: 2 });
    const { webhooks, deliveries, pool, schema, inTransaction } = stores;
    await register(webhooks, 'w1');
    const publish = (nth: number) => deliveries.publish(newMessage(`m${nth}`, { maxQueued: 5 }));
    const countRead = async (): Promise<number> => {
      await pool.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await pool.query(
        `SELECT idx_tup_read::int AS count FROM pg_stat_user_indexes
          WHERE schemaname = $1 AND indexrelname = 'deliveries_pkey'`,
        [schema],
      );
      return rows[0].count;
    };
    await inTransaction(async (client) => {
      // While this transaction is open, PostgreSQL keeps dead index entries.
      await client.query('SELECT pg_current_xact_id()');
      for (let nth = 0; nth < 300; nth += 1) await publish(nth);
      const before = await countRead();
      expect(await publish(300)).toMatchObject({ expired: [{ deliveryId: 'm295' }] });
      expect((await countRead()) - before).toBeLessThan(50);
    });
  });
});
