import { randomBytes } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import type { SecurityEvent, SqlTransaction } from '@latchhook/core';
import type { DeliveryStore } from '@latchhook/core/storage';
import { createDeliveryWorker } from '@latchhook/delivery';
import { migrate, migrationSql, postgresStorage } from '@latchhook/postgres';
import { turnableClock } from '@latchhook/testkit';
import type { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PATIENT_MS } from '../support/time/patience.ts';
import { keyedMessage, openStores } from './delivery-scene.ts';
import { HAS_POSTGRES } from './open-schema.ts';
import { sending } from './outbox-app.ts';

/** The outbox of a schema of its own, which nobody relays. */
async function openOutbox() {
  const clock = turnableClock();
  const stores = await openStores({ clock });
  return { clock, ...stores, ...outboxOf(stores) };
}

function outboxOf({ deliveries }: { readonly deliveries: DeliveryStore }) {
  const { outbox } = deliveries;
  if (outbox === undefined) throw new Error('there is no outbox');
  const publish = (tx: SqlTransaction, id: string) => outbox.publishWithin(tx, keyedMessage(id));
  return { outbox, publish };
}

/** A transaction that stays open until it is ended, or the test is over. */
async function begin(pool: Pool) {
  const tx = await pool.connect();
  let isOpen = true;
  async function end(by: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await tx.query(by);
    tx.release();
  }
  onTestFinished(() => end('ROLLBACK'));
  await tx.query('BEGIN');
  return { tx, end };
}

/** Makes the schema that of the version before, which gave messages no time. */
async function goBack(pool: Pool, schema: string): Promise<void> {
  const { rows } = await pool.query(
    `SELECT pg_get_functiondef('${schema}.publish_within'::regproc) AS definition`,
  );
  const withoutTime = String(rows[0].definition)
    .replace(', written_at_ms)', ')')
    .replace('m.rate_margin_ms, now_ms)', 'm.rate_margin_ms)');
  expect(withoutTime).not.toContain('written_at_ms');
  await pool.query(`
    ALTER TABLE ${schema}.outbox DROP COLUMN written_at_ms;
    DROP FUNCTION ${schema}.count_outbox, ${schema}.measure_outbox_lag;
    DELETE FROM ${schema}.migrations WHERE number IN (0, 7);
    ${withoutTime}`);
}

describe.skipIf(!HAS_POSTGRES)('what waits in the outbox', () => {
  it('is counted once it has committed, until it is taken, and not beyond the limit', async () => {
    const { outbox, publish, pool } = await openOutbox();
    const count = () => outbox.countPending({ limit: 100 });
    expect(await count()).toBe(0);
    for (const id of ['m1', 'm2', 'm3']) await publish(pool, id);
    const open = await begin(pool);
    await publish(open.tx, 'm4');
    const rolledBack = await begin(pool);
    await publish(rolledBack.tx, 'm5');
    await rolledBack.end('ROLLBACK');
    expect(await count()).toBe(3);
    expect(await outbox.countPending({ limit: 2 })).toBe(2);
    await open.end('COMMIT');
    expect(await count()).toBe(4);
    await outbox.takeCommitted({ limit: 3 });
    expect(await count()).toBe(1);
  });

  it('is as late as the first that would be taken, from when that was written', async () => {
    const { outbox, publish, pool, clock } = await openOutbox();
    expect(await outbox.lagMs()).toBe(0);
    const open = await begin(pool);
    await publish(open.tx, 'm1');
    clock.advance(10);
    await publish(pool, 'm2');
    clock.advance(5);
    expect(await outbox.lagMs()).toBe(5);
    await open.end('COMMIT');
    expect(await outbox.lagMs()).toBe(15);
    await outbox.takeCommitted({ limit: 1 });
    expect(await outbox.lagMs()).toBe(5);
    clock.advance(-10);
    expect(await outbox.lagMs()).toBe(0);
    clock.advance(10);
    await outbox.takeCommitted({ limit: 1 });
    expect(await outbox.lagMs()).toBe(0);
  });

  it('is timed by the server if nothing replaces its clock', async () => {
    const stores = await openStores();
    const { pool, schema } = stores;
    const { outbox, publish } = outboxOf(stores);
    const startedAtMs = await serverMs(pool);
    await publish(pool, 'm1');
    await pool.query(`UPDATE ${schema}.outbox SET written_at_ms = written_at_ms - 90000`);
    const lagMs = await outbox.lagMs();
    expect(lagMs).toBeGreaterThanOrEqual(90_000);
    expect(lagMs).toBeLessThanOrEqual(90_000 + (await serverMs(pool)) - startedAtMs);
  });

  it('is reported as a fault if it cannot be taken', async () => {
    const stores = await openStores();
    const { pool, schema } = stores;
    const { outbox, publish } = outboxOf(stores);
    await publish(pool, 'm1');
    await pool.query(`DROP FUNCTION ${schema}.take_committed`);
    const events: SecurityEvent[] = [];
    const worker = createDeliveryWorker({
      storage: postgresStorage(pool, { schema, deadlineMs: PATIENT_MS }),
      keys: { encryption: [randomBytes(32)] },
      webhooks: { delivery: sending() },
      onSecurityEvent: (event) => void events.push(event),
    });
    onTestFinished(() => worker.close());
    const error = expect.objectContaining({ message: expect.stringContaining('take_committed') });
    await expect
      .poll(() => events)
      .toContainEqual(expect.objectContaining({ type: 'fault', where: 'storage', error }));
    expect(await outbox.countPending({ limit: 100 })).toBe(1);
  });

  it('is kept over a migration from the version that gave it no time, and counts from there', async () => {
    const stores = await openStores();
    const { pool, schema } = stores;
    const { outbox, publish } = outboxOf(stores);
    await goBack(pool, schema);
    await publish(pool, 'm1');
    const startedAtMs = await serverMs(pool);
    await migrate(pool, { schema });
    expect(await outbox.lagMs()).toBeLessThanOrEqual((await serverMs(pool)) - startedAtMs);
    await publish(pool, 'm2');
    expect(await outbox.countPending({ limit: 100 })).toBe(2);
    expect(await outbox.takeCommitted({ limit: 100 })).toMatchObject({
      taken: [{ messageId: 'm1' }, { messageId: 'm2' }],
    });
  });

  it('takes in what a process of that version publishes while it waits for the migration', async () => {
    const stores = await openStores();
    const { pool, schema } = stores;
    const { outbox, publish } = outboxOf(stores);
    await goBack(pool, schema);
    const startedAtMs = await serverMs(pool);
    const migration = await begin(pool);
    await migration.tx.query(migrationSql({ schema }).replace(/COMMIT;\s*$/, ''));
    const published = publish(pool, 'm1');
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = '${schema}.outbox'::regclass`;
    await expect.poll(async () => (await migration.tx.query(waiting)).rowCount).toBe(1);
    await migration.end('COMMIT');
    expect(await published).toMatchObject({ outcome: 'published' });
    expect(await outbox.countPending({ limit: 100 })).toBe(1);
    expect(await outbox.lagMs()).toBeLessThanOrEqual((await serverMs(pool)) - startedAtMs);
  });
});

async function serverMs(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  );
  return rows[0].ms;
}

it('is measured in PGlite too', async () => {
  const pglite = new PGlite();
  onTestFinished(() => pglite.close());
  await migrate(pglite);
  const clock = turnableClock();
  const storage = postgresStorage(pglite, { clock, deadlineMs: PATIENT_MS });
  const { outbox, publish } = outboxOf(storage);
  await pglite.transaction((tx) => publish(tx, 'm1'));
  clock.advance(7);
  expect([await outbox.countPending({ limit: 100 }), await outbox.lagMs()]).toEqual([1, 7]);
});
