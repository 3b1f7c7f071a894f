import { migrate } from '@latchhook/postgres';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNT_ID,
  deliveryTo,
  finishing,
  register,
  retryAfter,
  starting,
} from '../support/storage/webhook-samples.ts';
import { keyedMessage, openStores } from './delivery-scene.ts';
import { HAS_POSTGRES } from './open-schema.ts';

describe.skipIf(!HAS_POSTGRES)('deliveries in PostgreSQL', () => {
  it.each([
    ['recover_deliveries', 'p_since_ms => 0, p_limit => 1', { count: 0, more: false }],
    ['release_deliveries', 'p_limit => 1', { count: 0, more: false }],
    [
      'reschedule_deliveries',
      'p_rate_margin_ms => 0, p_max_in_flight => 1, p_lease_ms => 1, p_limit => 1, p_after => NULL',
      {},
    ],
  ])(
    'of an unknown webhook are none to a version that reads no outcome: %s',
    async (name, args, none) => {
      const { pool, schema } = await openStores();
      const { rows } = await pool.query(
        `SELECT ${schema}.${name}(p_landing_limit_ms => 9e15::bigint, p_clock_ms => NULL,
         p_account_id => ${ACCOUNT_ID}, p_webhook_id => 'w1', ${args}) AS answer`,
      );
      expect(rows[0].answer).toEqual({ outcome: 'unknown', scheduled: [], ...none });
    },
  );

  it('die in steps if many more wait than allowed, as the bound was lowered', async () => {
    const stores = await openStores();
    const { deliveries } = stores;
    await register(stores.webhooks, 'w1');
    for (let nth = 0; nth < 150; nth += 1) await deliveries.publish(keyedMessage(`m${nth}`));
    const expired = [];
    for (const id of ['first', 'second', 'third']) {
      const answer = await deliveries.publish(keyedMessage(id, { maxQueued: 1 }));
      expired.push('expired' in answer && answer.expired.length);
    }
    expect(expired).toEqual([100, 51, 1]);
  });

  it('wait for one window at most if the clock of the server is set back', async () => {
    let nowMs = 1_700_000_000_000;
    const stores = await openStores({ clock: { nowMs: () => nowMs } });
    const { deliveries } = stores;
    await register(stores.webhooks, 'w1', { rateLimit: 1 });
    for (const id of ['m1', 'm2']) await deliveries.publish(keyedMessage(id));
    expect(await deliveries.start(starting(deliveryTo('w1', 'm1')))).toMatchObject({
      outcome: 'started',
    });
    nowMs -= 3_600_000;
    expect(await deliveries.start(starting(deliveryTo('w1', 'm2')))).toMatchObject({
      outcome: 'deferred',
      delayMs: 1_000,
    });
    nowMs += 1_000;
    expect(await deliveries.start(starting(deliveryTo('w1', 'm2')))).toMatchObject({
      outcome: 'started',
    });
  });

  it('pause no more, but for a new reason, if the clock of the server is set back', async () => {
    let nowMs = 1_700_000_000_000;
    const { webhooks, deliveries } = await openStores({ clock: { nowMs: () => nowMs } });
    await register(webhooks, 'w1');
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(keyedMessage(id));
    const start = (id: string) => deliveries.start(starting(deliveryTo('w1', id)));
    const pause = { pauseMs: 5_000 };
    await start('m1');
    await deliveries.finish(finishing(deliveryTo('w1', 'm1'), 1, retryAfter(60_000), pause));
    expect(await start('m2')).toMatchObject({ outcome: 'deferred', delayMs: 5_000 });
    nowMs -= 3_600_000;
    expect(await start('m2')).toMatchObject({ outcome: 'started' });
    await deliveries.finish(finishing(deliveryTo('w1', 'm2'), 1, retryAfter(60_000), pause));
    expect(await start('m3')).toMatchObject({ outcome: 'deferred', delayMs: 5_000 });
  });

  it('are returned as overdue without a wait for those that are locked', async () => {
    const clock = turnableClock();
    const stores = await openStores({ clock });
    const { deliveries, inTransaction } = stores;
    await register(stores.webhooks, 'w1');
    for (const id of ['m1', 'm2', 'm3']) {
      await deliveries.publish(keyedMessage(id));
      clock.advance(1);
    }
    clock.advance(1_000);
    const look = async () => {
      const overdue = await deliveries.overdue({ graceMs: 0, limit: 2, putOffMs: 1_000 });
      return overdue.map(({ deliveryId }) => deliveryId);
    };
    await inTransaction(async (client) => {
      await client.query('SELECT FROM webhooks FOR UPDATE');
      await client.query(`UPDATE deliveries SET due_at_ms = 0 WHERE delivery_id = 'm1'`);
      expect(await look()).toEqual(['m2', 'm3']);
    });
    expect(await look()).toEqual(['m1']);
  });

  it('keep the starts of a webhook for a minute', async () => {
    const clock = turnableClock();
    const stores = await openStores({ clock });
    const { deliveries, countRows } = stores;
    await register(stores.webhooks, 'w1', { rateLimit: 5 });
    for (let nth = 0; nth < 120; nth += 1) {
      await deliveries.publish(keyedMessage(`m${nth}`));
      expect(await deliveries.start(starting(deliveryTo('w1', `m${nth}`)))).toMatchObject({
        outcome: 'started',
      });
      clock.advance(1_000);
    }
    expect(await countRows('webhook_starts')).toBe(60);
  });

  it('never deadlock, whatever happens to several webhooks at once', async () => {
    const stores = await openStores({ max: 24 });
    const { webhooks, deliveries, pool } = stores;
    const refs = [];
    for (let nth = 0; nth < 8; nth += 1) refs.push(await register(stores.webhooks, `w${nth}`));
    const { outbox } = deliveries;
    if (outbox === undefined) throw new Error('there is no outbox');
    const work = Array.from({ length: 240 }, (_, nth) => async () => {
      const webhookId = `w${nth % 8}`;
      const id = `m${nth}`;
      switch (nth % 6) {
        case 0:
          return outbox.publishWithin(pool, keyedMessage(id, { retentionMs: 50 }));
        case 1:
          return outbox.takeCommitted({ limit: 10 });
        case 2:
          return deliveries.overdue({ graceMs: 0, limit: 10, putOffMs: 0 });
        case 3:
          return deliveries.start(starting(deliveryTo(webhookId, `m${nth - 3}`)));
        case 4:
          return nth === 100 ? webhooks.remove({ accountId: ACCOUNT_ID, webhookId }) : undefined;
        default:
          return deliveries.publish(keyedMessage(id, { retentionMs: 50, maxQueued: 5 }));
      }
    });
    const settled = await Promise.allSettled(work.map((step) => step()));
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await webhooks.list(ACCOUNT_ID, { limit: 100, after: null })).length).toBe(7);
  });

  it('go on over a migration that renames what keeps them', async () => {
    const stores = await openStores();
    const { deliveries, pool, schema } = stores;
    await register(stores.webhooks, 'w1');
    await deliveries.publish(keyedMessage('m1'));
    const types = 'bigint, p2 bigint, p3 bigint, p4 text, p5 text, p6 bigint, p7 bigint, p8 bigint';
    // Tables and functions of the version before.
    await pool.query(`
      ALTER TABLE ${schema}.deliveries RENAME COLUMN tries_before TO tries;
      ALTER TABLE ${schema}.deliveries RENAME COLUMN is_parked TO is_crowded;
      ALTER INDEX ${schema}.deliveries_parked RENAME TO deliveries_crowded;
      DROP FUNCTION ${schema}.start_delivery;
      CREATE FUNCTION ${schema}.start_delivery(p1 ${types}, p9 bigint, p10 bigint, p11 bigint)
        RETURNS json LANGUAGE sql AS 'SELECT NULL::json';
      DELETE FROM ${schema}.migrations WHERE number IN (0, 6);`);
    await migrate(pool, { schema });
    expect(await deliveries.start(starting(deliveryTo('w1', 'm1')))).toMatchObject({
      outcome: 'started',
    });
  });

  it('keep their leases over a migration', async () => {
    const clock = turnableClock();
    const stores = await openStores({ clock });
    const { deliveries, pool, schema } = stores;
    await register(stores.webhooks, 'w1');
    for (const id of ['m1', 'm2']) await deliveries.publish(keyedMessage(id));
    await deliveries.start(starting(deliveryTo('w1', 'm1')));
    // The table of the version before.
    await pool.query(`
      UPDATE ${schema}.deliveries SET due_at_ms = lease_ends_at_ms WHERE state = 'sending';
      ALTER TABLE ${schema}.deliveries DROP COLUMN lease_ends_at_ms;
      DELETE FROM ${schema}.migrations WHERE number IN (0, 4);`);
    await migrate(pool, { schema });
    expect(await deliveries.start(starting(deliveryTo('w1', 'm1')))).toMatchObject({
      reason: 'sending',
      delayMs: 20_000,
    });
    const alone = starting(deliveryTo('w1', 'm2'), { maxInFlight: 1 });
    expect(await deliveries.start(alone)).toMatchObject({ reason: 'in_flight' });
    clock.advance(20_000);
    expect(await deliveries.start(starting(deliveryTo('w1', 'm1')))).toMatchObject({ attempt: 2 });
    const { attempts } = (await deliveries.find(deliveryTo('w1', 'm1'))) ?? {};
    expect(attempts).toMatchObject([{ durationMs: 20_000, error: 'lost' }]);
  });
});
