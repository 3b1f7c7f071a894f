import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it } from 'vitest';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  DELIVERED,
  EXHAUSTED,
  endOf,
  notStarted,
  retryIn,
} from '../redis/claim-samples.ts';
import { DAY_MS, register } from '../support/storage/webhook-samples.ts';
import { keyedMessage, openStores } from './delivery-fixture.ts';
import { HAS_POSTGRES } from './open-schema.ts';

/** The tables with rows of deliveries. */
const TABLES = ['messages', 'deliveries', 'leases', 'arrivals', 'outbox', 'idempotency_keys'];

/** Leaves deliveries of every state, of an enabled and a disabled webhook. */
async function leaveDeliveries() {
  const clock = turnableClock();
  const stores = await openStores({ clock });
  const { webhooks, deliveries, countRows } = stores;
  for (const id of ['w1', 'w2']) await register(webhooks, id);
  for (let i = 0; i < 20; i += 1) await deliveries.publish(keyedMessage(`m${i}`));
  const attempts = await claimAll(deliveries, { maxInFlightPerWebhook: 6 });
  const outcomes = [DELIVERED, retryIn(1), EXHAUSTED, { kind: 'failed', reason: 'gone' }] as const;
  const ends = attempts
    .filter(({ webhookId }, i) => webhookId === 'w2' || i < 3)
    .map((attempt, i) => endOf(attempt, outcomes[Math.min(i, 3)] ?? DELIVERED));
  await deliveries.complete(ends, COMPLETE);
  const count = async () =>
    Object.fromEntries(
      await Promise.all(TABLES.map(async (table) => [table, await countRows(table)] as const)),
    );
  const { rows } = await stores.pool.query(
    `SELECT count(*) FILTER (WHERE retry_at_ms IS NOT NULL)::int AS retries,
      count(*) FILTER (WHERE state = 'failed')::int AS failed FROM ${stores.schema}.deliveries`,
  );
  expect(rows[0].retries).toBeGreaterThan(0);
  expect(rows[0].failed).toBeGreaterThan(0);
  return { ...stores, clock, count };
}

const NOTHING = Object.fromEntries(TABLES.map((table) => [table, 0]));

describe.skipIf(!HAS_POSTGRES)('expired deliveries in PostgreSQL', () => {
  it('are deleted with all their rows while other events are published', async () => {
    const { webhooks, deliveries, clock, count } = await leaveDeliveries();
    const before = await count();
    for (const table of ['leases', 'deliveries', 'messages']) {
      expect(before[table], table).toBeGreaterThan(0);
    }
    clock.advance(2 * DAY_MS);
    await claimAll(deliveries);
    // These messages reach a webhook of another account, and must leave no rows when it is removed.
    await register(webhooks, 'w3', { accountId: 8 });
    const publishMany = async () => {
      for (let i = 0; i < 20; i += 1) {
        const id = `other ${crypto.randomUUID()}`;
        await deliveries.publish(
          keyedMessage(id, { accountId: 8, retentionMs: 1, idempotencyMs: 1 }),
        );
      }
      clock.advance(10);
      await claimAll(deliveries);
    };
    const others = { messages: 128, deliveries: 128, idempotency_keys: 128 };
    await expect
      .poll(async () => {
        await publishMany();
        const counts = await count();
        return Object.entries(counts).filter(
          ([table, rows]) => rows > (others[table as keyof typeof others] ?? 0),
        );
      })
      .toEqual([]);
  });

  it('leave no rows if their attempts end later', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries, countRows } = await openStores({ clock });
    await register(webhooks, 'w1');
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(keyedMessage(id));
    const attempts = await claimAll(deliveries, { leaseMs: 10 * DAY_MS });
    clock.advance(2 * DAY_MS);
    await claimAll(deliveries);
    expect(await countRows('deliveries')).toBe(0);
    const [first, second, third] = attempts;
    if (!first || !second || !third) throw new Error('there are fewer attempts than messages');
    const ends = [endOf(first, retryIn(1)), endOf(second, EXHAUSTED), notStarted(third)];
    await deliveries.complete(ends, COMPLETE);
    for (const table of TABLES) expect([table, await countRows(table)]).toEqual([table, 0]);
  });

  it('are left out of a claim during which another transaction has deleted them', async () => {
    const { webhooks, deliveries, pool, schema } = await openStores();
    await register(webhooks, 'w1');
    await deliveries.publish(keyedMessage('m1'));
    // In place of the other transaction: the rows are gone when the claim reads what it has leased.
    await pool.query(`
      CREATE FUNCTION ${schema}.forget() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN DELETE FROM ${schema}.deliveries; DELETE FROM ${schema}.messages; RETURN NULL; END $$;
      CREATE TRIGGER forget AFTER INSERT ON ${schema}.leases EXECUTE FUNCTION ${schema}.forget()`);
    expect(await deliveries.claim(CLAIM)).toMatchObject({ attempts: [], poisoned: [] });
  });

  it('are deleted even if no more events are published', async () => {
    const { deliveries, clock, count } = await leaveDeliveries();
    clock.advance(2 * DAY_MS);
    for (let i = 0; i < 20; i += 1) {
      await claimAll(deliveries);
      clock.advance(CLAIM.leaseMs);
    }
    expect(await count()).toEqual(NOTHING);
  });
});
