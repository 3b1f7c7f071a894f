import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNT_ID,
  DELIVERED,
  deliveryTo,
  finishing,
  newMessage,
  register,
  starting,
} from '../support/storage/webhook-samples.ts';
import { keyedMessage, openStores } from './delivery-scene.ts';
import { HAS_POSTGRES } from './open-schema.ts';

/** A count of the server, for the schema. Only one connection of the pool may be free: others count later. */
async function statistic(
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  select: string,
): Promise<number> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query(`SELECT (${select} AND schemaname = $1)::int AS count`, [
    schema,
  ]);
  return rows[0].count;
}

/** How many rows of a table were read, by whatever plan. */
function rowsRead(stores: Parameters<typeof statistic>[0], table: string): Promise<number> {
  return statistic(
    stores,
    `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables
      WHERE relname = '${table}'`,
  );
}

/** How often a table was read as a whole. */
function scanned(stores: Parameters<typeof statistic>[0], table: string): Promise<number> {
  return statistic(stores, `SELECT seq_scan FROM pg_stat_user_tables WHERE relname = '${table}'`);
}

describe.skipIf(!HAS_POSTGRES)('the plans for deliveries in PostgreSQL', () => {
  it('find them by their keys, even if the tables were empty when the server made its plan', async () => {
    const stores = await openStores({ max: 1 });
    const { deliveries, pool, schema } = stores;
    await pool.query(`ALTER TABLE ${schema}.deliveries SET (autovacuum_enabled = off)`);
    await register(stores.webhooks, 'w1');
    const send = async (messageId: string): Promise<void> => {
      await deliveries.publish(keyedMessage(messageId));
      await deliveries.start(starting(deliveryTo('w1', messageId)));
      await deliveries.overdue({ graceMs: -60_000, limit: 1, putOffMs: 0 });
    };
    const countRead = () =>
      statistic(
        stores,
        `SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'deliveries'`,
      );
    // Often enough for the server to keep a plan.
    for (let nth = 0; nth < 10; nth += 1) await send(`m${nth}`);
    await pool.query(`
      INSERT INTO ${schema}.deliveries
        (webhook, sequence, delivery_id, message, state, created_at_ms, expires_at_ms)
      SELECT webhook, 1000 + n, 'old' || n, message, 'delivered', created_at_ms, expires_at_ms
        FROM ${schema}.deliveries, generate_series(1, 5000) AS n WHERE delivery_id = 'm0'`);
    const before = await countRead();
    await send('m10');
    expect(await deliveries.find(deliveryTo('w1', 'm10'))).toMatchObject({ attempts: [] });
    expect((await countRead()) - before).toBeLessThan(1_000);
  });

  it('read no whole table to send one, even if all were small when they were analysed', async () => {
    const stores = await openStores({ max: 1 });
    const { deliveries, pool, schema } = stores;
    const outbox = deliveries.outbox ?? expect.fail();
    const tables = ['webhooks', 'webhook_starts', 'deliveries', 'messages', 'idempotency_keys'];
    for (const table of tables) {
      await pool.query(`ALTER TABLE ${schema}.${table} SET (autovacuum_enabled = off)`);
    }
    await register(stores.webhooks, 'w1');
    const send = async (messageId: string): Promise<void> => {
      const delivery = deliveryTo('w1', messageId);
      await outbox.publishWithin(pool, keyedMessage(messageId));
      await outbox.takeCommitted({ limit: 10 });
      await deliveries.publish(keyedMessage(`another ${messageId}`));
      await deliveries.start(starting(delivery));
      await deliveries.finish(finishing(delivery, 1, DELIVERED));
      await deliveries.resend(delivery);
    };
    await send('m0');
    for (const table of tables) await pool.query(`VACUUM ANALYZE ${schema}.${table}`);
    for (let nth = 1; nth < 10; nth += 1) await send(`m${nth}`);
    for (const table of tables) {
      const before = await scanned(stores, table);
      await send(`m${10 + tables.indexOf(table)}`);
      expect((await scanned(stores, table)) - before, table).toBe(0);
    }
  });

  it('publish again without a look at all that wait', async () => {
    const stores = await openStores({ max: 1 });
    const { deliveries, pool, schema } = stores;
    await pool.query(`ALTER TABLE ${schema}.deliveries SET (autovacuum_enabled = off)`);
    for (const id of ['w1', 'w2', 'w3', 'w4']) await register(stores.webhooks, id);
    const publish = (nth: number) => deliveries.publish(keyedMessage(`m${nth}`));
    for (let nth = 0; nth < 20; nth += 1) await publish(nth % 10);
    await pool.query(`
      INSERT INTO ${schema}.deliveries
        (webhook, sequence, delivery_id, message, state, created_at_ms, expires_at_ms)
      SELECT webhook, 1000 + n, 'old' || n, message, 'queued', created_at_ms, expires_at_ms
        FROM ${schema}.deliveries, generate_series(1, 1000) AS n WHERE delivery_id = 'm0'`);
    const before = await rowsRead(stores, 'deliveries');
    const answer = await publish(0);
    expect('scheduled' in answer && answer.scheduled).toHaveLength(4);
    expect((await rowsRead(stores, 'deliveries')) - before).toBeLessThan(50);
  });

  it('publish without a look at those that have expired', async () => {
    const stores = await openStores({ max: 2 });
    const { deliveries, inTransaction } = stores;
    await register(stores.webhooks, 'w1');
    const publish = (nth: number) => deliveries.publish(newMessage(`m${nth}`, { maxQueued: 5 }));
    const countRead = () =>
      statistic(
        stores,
        `SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'deliveries_in_line'`,
      );
    await inTransaction(async (client) => {
      // While it is open PostgreSQL keeps what has expired in the index.
      await client.query('SELECT pg_current_xact_id()');
      for (let nth = 0; nth < 300; nth += 1) await publish(nth);
      const before = await countRead();
      expect(await publish(300)).toMatchObject({ expired: [{ deliveryId: 'm295' }] });
      expect((await countRead()) - before).toBeLessThan(50);
    });
  });

  it('read little more of the outbox than is taken or counted, even if it was empty when the server made its plan', async () => {
    const stores = await openStores({ max: 1 });
    const { deliveries, pool, schema } = stores;
    const outbox = deliveries.outbox ?? expect.fail();
    await register(stores.webhooks, 'w1');
    const work = {
      take: () => outbox.takeCommitted({ limit: 10 }),
      count: () => outbox.countPending({ limit: 10 }),
      lag: () => outbox.lagMs(),
    };
    await pool.query(`ALTER TABLE ${schema}.outbox SET (autovacuum_enabled = off)`);
    // Known to be empty, it is cheapest to read as a whole.
    await pool.query(`VACUUM ${schema}.outbox`);
    for (let nth = 0; nth < 10; nth += 1) for (const call of Object.values(work)) await call();
    for (let nth = 0; nth < 10; nth += 1) {
      await outbox.publishWithin(pool, keyedMessage(`m${nth}`));
      await work.take();
    }
    await pool.query(`
      INSERT INTO ${schema}.outbox (account_id, message_id, event, body, idempotency_ms, retention_ms,
        max_queued, rate_margin_ms)
      SELECT ${ACCOUNT_ID}, 'new' || n, 'Contact.Added', '{}', 1000, 60000, 10000, 0
        FROM generate_series(1, 5000) AS n`);
    for (const [name, call] of Object.entries(work)) {
      const before = await rowsRead(stores, 'outbox');
      await call();
      expect((await rowsRead(stores, 'outbox')) - before, name).toBeLessThan(50);
    }
  });

  it('find those that are late, dead, held or waiting among many, even if there was only one when the server made its plan', async () => {
    const stores = await openStores({ max: 1 });
    const { deliveries, pool, schema } = stores;
    await pool.query(`ALTER TABLE ${schema}.deliveries SET (autovacuum_enabled = off)`);
    const ref = await register(stores.webhooks, 'w1');
    await deliveries.publish(keyedMessage('m0'));
    await pool.query(`VACUUM ANALYZE ${schema}.deliveries`);
    const work = {
      overdue: () => deliveries.overdue({ graceMs: 60_000, limit: 10, putOffMs: 0 }),
      lag: () => deliveries.lagMs(),
      list: () => deliveries.list(ref, { limit: 10, after: null }),
      recover: () => deliveries.recover(ref, { sinceMs: 0, limit: 10 }),
      release: () => deliveries.release(ref, { limit: 10 }),
      reschedule: () =>
        deliveries.reschedule(ref, {
          limit: 10,
          after: null,
          rateMarginMs: 0,
          maxInFlight: 10,
          leaseMs: 20_000,
        }),
    };
    for (let nth = 0; nth < 10; nth += 1) for (const call of Object.values(work)) await call();
    await pool.query(`
      INSERT INTO ${schema}.deliveries
        (webhook, sequence, delivery_id, message, state, created_at_ms, expires_at_ms)
      SELECT webhook, 1000 + n, 'old' || n, message, 'delivered', created_at_ms, expires_at_ms
        FROM ${schema}.deliveries, generate_series(1, 5000) AS n`);
    for (const [name, call] of Object.entries(work)) {
      const before = await rowsRead(stores, 'deliveries');
      await call();
      expect((await rowsRead(stores, 'deliveries')) - before, name).toBeLessThan(50);
    }
  });
});
