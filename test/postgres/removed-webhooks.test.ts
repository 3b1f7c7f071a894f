import type { WebhookRef } from '@latchhook/core/storage';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it } from 'vitest';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  completeAll,
  DELIVERED,
  EXHAUSTED,
  endOf,
  retryIn,
} from '../redis/claim-samples.ts';
import { DAY_MS, register } from '../support/storage/webhook-samples.ts';
import { keyedMessage, openStores } from './delivery-fixture.ts';
import { HAS_POSTGRES } from './open-schema.ts';

const TABLES = ['deliveries', 'leases'] as const;

/** Two webhooks, each with failed and waiting deliveries and with attempts in flight. */
async function openFixture({ max = 10 } = {}) {
  const clock = turnableClock();
  const stores = await openStores({ clock, max });
  const { webhooks, deliveries, pool, schema } = stores;
  const [ref, kept] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
  for (let i = 0; i < 20; i += 1) await deliveries.publish(keyedMessage(`m${i}`));
  const attempts = await claimAll(deliveries, { maxInFlightPerWebhook: 5 });
  // Of each five attempts one has failed for good, one waits for its retry, and three are in flight.
  const ends = attempts.flatMap((attempt, i) =>
    i % 5 < 2 ? [endOf(attempt, i % 5 === 0 ? EXHAUSTED : retryIn(1_000))] : [],
  );
  await deliveries.complete(ends, COMPLETE);
  const { rows: queues } = await pool.query(`SELECT webhook_id, queue FROM ${schema}.webhooks`);
  /** The number of rows that belong to a webhook. */
  const rowsOf = async ({ webhookId }: WebhookRef) => {
    const { queue } = queues.find(({ webhook_id }) => webhook_id === webhookId);
    const counts = TABLES.map(async (table) => {
      const { rows } = await pool.query(
        `SELECT count(*)::int AS count FROM ${schema}.${table} WHERE queue = $1`,
        [queue],
      );
      return [table, rows[0].count] as const;
    });
    const { rows } = await pool.query(
      `SELECT count(*) FILTER (WHERE retry_at_ms IS NOT NULL)::int AS retries,
        count(*) FILTER (WHERE state = 'failed')::int AS failed
      FROM ${schema}.deliveries WHERE queue = $1`,
      [queue],
    );
    return { ...Object.fromEntries(await Promise.all(counts)), ...rows[0] };
  };
  return { ...stores, clock, ref, kept, attempts, rowsOf };
}

describe.skipIf(!HAS_POSTGRES)('removing a webhook in PostgreSQL', () => {
  it('ends its attempts and waiting deliveries, and keeps those of other webhooks', async () => {
    const { webhooks, deliveries, ref, kept, attempts, rowsOf, countRows } = await openFixture();
    const before = await rowsOf(kept);
    expect(before).toEqual({ deliveries: 20, leases: 3, retries: 1, failed: 1 });
    await webhooks.remove(ref);
    // The 20 messages to the other webhook, of which one delivery has failed for good.
    expect(await deliveries.stats()).toMatchObject({ pending: 19 });
    expect((await rowsOf(ref))['leases']).toBe(0);
    expect(await rowsOf(kept)).toEqual(before);
    expect(await countRows('queues')).toBe(1);
    const late = attempts.filter(({ webhookId }) => webhookId === 'w1');
    const results = await completeAll(deliveries, late, DELIVERED);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['stale']));
  });

  it('deletes the rows of its deliveries when their messages expire', async () => {
    const { webhooks, deliveries, clock, ref, kept, rowsOf } = await openFixture();
    await webhooks.remove(ref);
    clock.advance(2 * DAY_MS);
    await expect
      .poll(async () => {
        for (let i = 0; i < 50; i += 1) {
          await deliveries.publish(keyedMessage(`later ${crypto.randomUUID()}`));
        }
        return rowsOf(ref);
      })
      .toEqual({ deliveries: 0, leases: 0, retries: 0, failed: 0 });
    expect((await rowsOf(kept))['deliveries']).toBeGreaterThan(0);
  });

  it('leaves no rows of a webhook without deliveries', async () => {
    const stores = await openStores();
    for (let i = 0; i < 20; i += 1) {
      const ref = await register(stores.webhooks, `w${i}`);
      expect(await stores.webhooks.remove(ref)).toBe(true);
    }
    for (const table of ['webhooks', 'queues', ...TABLES]) {
      expect([table, await stores.countRows(table)]).toEqual([table, 0]);
    }
  });

  it('leaves no attempt in flight if a concurrent completion rolls back', async () => {
    const { webhooks, deliveries, clock, ref, kept, rowsOf, inTransaction } = await openFixture();
    await inTransaction(async (client) => {
      // Completes the attempt in a transaction that is then rolled back.
      await client.query('DELETE FROM leases');
      await webhooks.remove(ref);
    });
    await webhooks.remove(kept);
    clock.advance(CLAIM.leaseMs);
    await claimAll(deliveries);
    expect((await rowsOf(ref))['leases']).toBe(0);
    expect(await deliveries.stats()).toMatchObject({ pending: 0 });
  });
});
