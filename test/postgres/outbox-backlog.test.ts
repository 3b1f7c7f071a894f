import { randomBytes } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import type { SecurityEvent, SqlTransaction } from '@latchhook/core';
import { systemTimers, type Timers } from '@latchhook/core/delivery';
import type { DeliveryStore } from '@latchhook/core/storage';
import { createDeliveryWorker, inProcessWorker } from '@latchhook/delivery';
import { migrate, postgresStorage } from '@latchhook/postgres';
import { turnableClock } from '@latchhook/testkit';
import type { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimOnce } from '../redis/claim-samples.ts';
import { register } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { keyedMessage, openStores } from './delivery-fixture.ts';
import { HAS_POSTGRES } from './open-schema.ts';
import { inTransaction, openOutboxApp, publish } from './outbox-app.ts';

/** The outbox of a new schema, from which no worker claims. */
async function openOutbox() {
  const clock = turnableClock();
  const stores = await openStores({ clock });
  return { clock, ...stores, write: writerOf(stores) };
}

function writerOf({ deliveries }: { readonly deliveries: DeliveryStore }) {
  const { outbox } = deliveries;
  if (outbox === undefined) throw new Error('there is no outbox');
  return (tx: SqlTransaction, id: string) => outbox.publishWithin(tx, keyedMessage(id));
}

/** Begins a transaction, which is rolled back at the end of the test if it is still open. */
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

describe.skipIf(!HAS_POSTGRES)('messages in the outbox', () => {
  it('are counted as pending from their commit until a claim publishes them', async () => {
    const { deliveries, write, pool } = await openOutbox();
    const count = async () => (await deliveries.stats()).pending;
    expect(await count()).toBe(0);
    for (const id of ['m1', 'm2', 'm3']) await write(pool, id);
    const open = await begin(pool);
    await write(open.tx, 'm4');
    const rolledBack = await begin(pool);
    await write(rolledBack.tx, 'm5');
    await rolledBack.end('ROLLBACK');
    expect(await count()).toBe(3);
    await open.end('COMMIT');
    expect(await count()).toBe(4);
    await claimOnce(deliveries);
    expect(await count()).toBe(0);
  });

  it('are as old as the oldest committed message, counted from its insertion', async () => {
    const { deliveries, write, pool, clock } = await openOutbox();
    const lagMs = async () => (await deliveries.stats()).oldestDueAgeMs;
    expect(await lagMs()).toBe(0);
    const open = await begin(pool);
    await write(open.tx, 'm1');
    clock.advance(10);
    await write(pool, 'm2');
    clock.advance(5);
    expect(await lagMs()).toBe(5);
    await open.end('COMMIT');
    expect(await lagMs()).toBe(15);
    clock.advance(-20);
    expect(await lagMs()).toBe(0);
    clock.advance(20);
    await claimOnce(deliveries);
    expect(await lagMs()).toBe(0);
  });

  it('are published in batches, and each claim reports that more remain', async () => {
    const { webhooks, deliveries, write, pool, countRows } = await openOutbox();
    await register(webhooks, 'w1', { rateLimit: 10_000 });
    const { tx, end } = await begin(pool);
    for (let i = 0; i < 100; i += 1) await write(tx, `m${i}`);
    await end('COMMIT');
    const remaining: number[] = [];
    for (;;) {
      const { nextInMs } = await claimOnce(deliveries, { limit: 1_000 });
      remaining.push(await countRows('outbox'));
      if (remaining.at(-1) === 0) break;
      expect(nextInMs).toBe(0);
    }
    expect(remaining).toEqual([68, 36, 4, 0]);
  });

  it('cause a fault event if they cannot be claimed', async () => {
    const { deliveries, write, pool, schema } = await openOutbox();
    await write(pool, 'm1');
    await pool.query(`DROP FUNCTION ${schema}.take_outbox`);
    const events: SecurityEvent[] = [];
    const worker = createDeliveryWorker({
      storage: postgresStorage(pool, { schema, deadlineMs: PATIENT_MS }),
      keys: { encryption: [randomBytes(32)] },
      onSecurityEvent: (event) => void events.push(event),
    });
    onTestFinished(() => worker.close());
    const error = expect.objectContaining({ message: expect.stringContaining('take_outbox') });
    await expect
      .poll(() => events)
      .toContainEqual(expect.objectContaining({ type: 'fault', where: 'storage', error }));
    expect((await deliveries.stats()).pending).toBe(1);
  });
});

describe.skipIf(!HAS_POSTGRES)('a burst published in one transaction', () => {
  it('is sent completely without waiting for a poll in between', async () => {
    // Polls never come here. A claim may wait for five milliseconds if rows are locked.
    const timers: Timers = {
      after: (ms, run) => (ms < 100 ? systemTimers.after(ms, run) : () => {}),
    };
    const worker = inProcessWorker({ timers });
    const { receiver, pool, app } = await openOutboxApp({ worker });
    await inTransaction(pool, async (tx) => {
      for (let i = 0; i < 3_000; i += 1) await publish(app, tx, i);
    });
    await receiver.untilDistinct(3_000);
  });
});

it('the outbox on PGlite has pending and oldestDueAgeMs', async () => {
  const pglite = new PGlite();
  onTestFinished(() => pglite.close());
  await migrate(pglite);
  const clock = turnableClock();
  const { deliveries } = postgresStorage(pglite, { clock, deadlineMs: PATIENT_MS });
  await pglite.transaction((tx) => writerOf({ deliveries })(tx, 'm1'));
  clock.advance(7);
  expect(await deliveries.stats()).toEqual({ pending: 1, oldestDueAgeMs: 7 });
});
