import { turnableClock } from '@latchhook/testkit';
import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import {
  DAY_MS,
  deliveryTo,
  register,
  starting,
  type WebhookStorage,
} from '../support/storage/webhook-samples.ts';
import { keyedMessage, openStores } from './delivery-scene.ts';
import { HAS_POSTGRES } from './open-schema.ts';

describe.skipIf(!HAS_POSTGRES)('a webhook that was removed from PostgreSQL', () => {
  it('has its deliveries deleted little by little', async () => {
    const stores = await openStores();
    const { webhooks, deliveries, countRows } = stores;
    const ref = await register(stores.webhooks, 'w1');
    const kept = await register(stores.webhooks, 'w2');
    for (let nth = 0; nth < 20; nth += 1) await deliveries.publish(keyedMessage(`m${nth}`));
    await deliveries.start(starting(deliveryTo('w1', 'm0')));
    await webhooks.remove(ref);
    expect(await deliveries.countPending()).toBe(20);
    await sweep(stores);
    expect(await countRows('deliveries')).toBe(20);
    expect(await countRows('removed_webhooks')).toBe(0);
    expect(await countRows('webhook_starts')).toBe(0);
    expect((await deliveries.list(kept, { limit: 100, after: null }))?.length).toBe(20);
  });

  it('has them deleted to the last, however many calls that takes', async () => {
    const stores = await openStores();
    const { webhooks, deliveries, countRows } = stores;
    const ref = await register(stores.webhooks, 'w1');
    await register(stores.webhooks, 'w2');
    const publishMany = async (from: number, to: number) => {
      for (let nth = from; nth < to; nth += 1) await deliveries.publish(keyedMessage(`m${nth}`));
    };
    await publishMany(0, 200);
    await webhooks.remove(ref);
    // With every 64th delivery of a webhook, 128 are deleted.
    await publishMany(200, 260);
    expect([await countRows('deliveries'), await countRows('removed_webhooks')]).toEqual([332, 1]);
    await publishMany(260, 330);
    expect([await countRows('deliveries'), await countRows('removed_webhooks')]).toEqual([330, 0]);
  });

  it('leaves nothing behind if it never had a delivery', async () => {
    const stores = await openStores();
    for (let nth = 0; nth < 20; nth += 1) {
      const ref = await register(stores.webhooks, `w${nth}`);
      expect(await stores.webhooks.remove(ref)).toBe(true);
    }
    expect(await stores.countRows('removed_webhooks')).toBe(0);
  });

  it('is forgotten with as many others as a sweep deletes rows', async () => {
    const stores = await openStores();
    // With 5 deliveries and 4 starts each, and the webhook itself.
    await leave(stores, { webhooks: 250, deliveries: 5, starts: 4 });
    const counts = [];
    for (let calls = 0; calls < 3; calls += 1) {
      await sweep(stores);
      counts.push(await countAll(stores));
    }
    expect(counts).toEqual([
      { removed_webhooks: 150, deliveries: 750, webhook_starts: 600 },
      { removed_webhooks: 50, deliveries: 250, webhook_starts: 200 },
      { removed_webhooks: 0, deliveries: 0, webhook_starts: 0 },
    ]);
  });

  it('does not keep the expired deliveries of others, however many were removed before it', async () => {
    const clock = turnableClock();
    const stores = await openStores({ clock });
    await register(stores.webhooks, 'living');
    for (let nth = 0; nth < 20; nth += 1) await stores.deliveries.publish(keyedMessage(`m${nth}`));
    await leave(stores, { webhooks: 10_000, deliveries: 0, starts: 0 });
    // They expire first, and belong to those that were removed last.
    await leave(stores, { webhooks: 250, deliveries: 10, starts: 0, expiresAtMs: 1 });
    clock.advance(2 * DAY_MS);
    const counts = [];
    for (let calls = 0; calls < 11; calls += 1) {
      await sweep(stores);
      const { removed_webhooks, deliveries } = await countAll(stores);
      counts.push([removed_webhooks, deliveries]);
    }
    expect(counts.slice(0, 3)).toEqual([
      [9_250, 1_520],
      [8_250, 520],
      [7_250, 0],
    ]);
    expect(counts.at(-1)).toEqual([0, 0]);
  });

  it('has its expired deliveries deleted without its lock; one whose removal has not been committed has not', async () => {
    const clock = turnableClock();
    const stores = await openStores({ clock });
    const { inTransaction, countRows, pool, schema } = stores;
    await register(stores.webhooks, 'w1');
    for (let nth = 0; nth < 20; nth += 1) await stores.deliveries.publish(keyedMessage(`m${nth}`));
    await leave(stores, { webhooks: 1, deliveries: 30, starts: 0, expiresAtMs: 1 });
    // As if they were already being worked off by another process.
    await pool.query(`DELETE FROM ${schema}.removed_webhooks`);
    clock.advance(2 * DAY_MS);
    await inTransaction(async (client) => {
      await client.query('DELETE FROM webhooks');
      await sweep(stores);
      expect(await countRows('deliveries')).toBe(20);
    });
    await sweep(stores);
    expect(await countRows('deliveries')).toBe(0);
  });

  it('stays noted while another process deletes its deliveries, and no call waits for that', async () => {
    const stores = await openStores();
    await leave(stores, { webhooks: 2, deliveries: 5, starts: 0 });
    await stores.inTransaction(async (client) => {
      await client.query('DELETE FROM deliveries WHERE sequence = 3');
      await sweep(stores);
      expect(await countAll(stores)).toMatchObject({ removed_webhooks: 2, deliveries: 2 });
      await client.query('ROLLBACK');
    });
    await sweep(stores);
    expect(await countAll(stores)).toMatchObject({ removed_webhooks: 0, deliveries: 0 });
  });

  it('is found by its key, even if none was removed when the server made its plan', async () => {
    const stores = await openStores({ max: 1 });
    const { pool, schema } = stores;
    await register(stores.webhooks, 'w1');
    // Known to be empty, they are cheapest to read as a whole.
    await pool.query(`VACUUM ${schema}.removed_webhooks`);
    await pool.query(`VACUUM ${schema}.webhook_starts`);
    for (let nth = 0; nth < 10; nth += 1) {
      await leave(stores, { webhooks: 1, deliveries: 1, starts: 1 });
      await sweep(stores);
    }
    await leave(stores, { webhooks: 3_000, deliveries: 2, starts: 1 });
    const before = await countRead(stores);
    await sweep(stores);
    const after = await countRead(stores);
    expect(await stores.countRows('removed_webhooks')).toBe(2_750);
    for (const [table, read] of Object.entries(after)) {
      expect(read - (before[table] ?? 0), table).toBeLessThan(2_000);
    }
  });
});

/** The last number that a removed webhook of these tests has had: greater than any that is registered. */
let lastRemoved = 1_000;

/** What webhooks have left that were removed. */
async function leave(
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  left: {
    readonly webhooks: number;
    /** Of each. */
    readonly deliveries: number;
    readonly starts: number;
    readonly expiresAtMs?: number;
  },
): Promise<void> {
  const range = [lastRemoved + 1, lastRemoved + left.webhooks];
  lastRemoved += left.webhooks;
  await pool.query(
    `INSERT INTO ${schema}.removed_webhooks SELECT generate_series($1::bigint, $2::bigint)`,
    range,
  );
  await pool.query(
    `INSERT INTO ${schema}.webhook_starts (webhook, nth, at_ms)
     SELECT webhook, nth, 0 FROM generate_series($1::bigint, $2::bigint) AS webhook, generate_series(1, $3::bigint) AS nth`,
    [...range, left.starts],
  );
  await pool.query(
    `INSERT INTO ${schema}.deliveries
       (webhook, sequence, delivery_id, message, state, created_at_ms, expires_at_ms)
     SELECT webhook, nth, 'd' || nth, 0, 'dead', 0, $4
       FROM generate_series($1::bigint, $2::bigint) AS webhook, generate_series(1, $3::bigint) AS nth`,
    [...range, left.deliveries, left.expiresAtMs ?? Number.MAX_SAFE_INTEGER],
  );
}

/** The least that every process that sends does now and then. */
async function sweep({ deliveries }: WebhookStorage): Promise<void> {
  await deliveries.overdue({ graceMs: 0, limit: 10, putOffMs: 0 });
}

const TABLES = ['removed_webhooks', 'deliveries', 'webhook_starts'] as const;

async function countAll({
  countRows,
}: {
  readonly countRows: (table: string) => Promise<number>;
}): Promise<Record<(typeof TABLES)[number], number>> {
  const [removed_webhooks = 0, deliveries = 0, webhook_starts = 0] = await Promise.all(
    TABLES.map(countRows),
  );
  return { removed_webhooks, deliveries, webhook_starts };
}

/** How many rows of each table have been read so far. Only one connection of the pool may be free. */
async function countRead({
  pool,
  schema,
}: {
  readonly pool: Pool;
  readonly schema: string;
}): Promise<Record<string, number>> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ readonly name: string; readonly count: number }>(
    `SELECT relname AS name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS count
       FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = ANY ($2)`,
    [schema, TABLES],
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
