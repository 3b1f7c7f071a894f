import {
  type ClaimedAttempt,
  LONGEST_RATE_MARGIN_MS,
  type WebhookRecord,
} from '@latchhook/core/storage';
import { postgresStorage } from '@latchhook/postgres';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it } from 'vitest';
import {
  CLAIM,
  COMPLETE,
  claimAll,
  claimOnce,
  completeAll,
  DELIVERED,
  EXHAUSTED,
  endOf,
  idsOf,
  retryIn,
} from '../redis/claim-samples.ts';
import { ACCOUNT_ID, register, withWebhooks } from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { keyedMessage, openStores } from './delivery-fixture.ts';
import { connect, HAS_POSTGRES } from './open-schema.ts';

describe.skipIf(!HAS_POSTGRES)('deliveries in PostgreSQL', () => {
  it('are due immediately after the clock of the server was set back', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries } = await openStores({ clock });
    await register(webhooks, 'w1');
    for (const id of ['m1', 'm2']) await deliveries.publish(keyedMessage(id));
    expect((await claimOnce(deliveries, { limit: 1 })).attempts).toHaveLength(1);
    clock.advance(-3_600_000);
    expect(idsOf(await claimAll(deliveries))).toEqual(['m2']);
  });

  it('are delayed by at most one rate window after the clock of the server was set back', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries } = await openStores({ clock });
    const ref = await register(webhooks, 'w1', { rateLimit: 1 });
    for (const id of ['m1', 'm2']) await deliveries.publish(keyedMessage(id));
    expect(idsOf(await claimAll(deliveries))).toEqual(['m1']);
    clock.advance(-3_600_000);
    // This computes anew when the webhook is due, which must not lengthen the delay.
    await webhooks.enable(ref);
    expect(await claimAll(deliveries)).toEqual([]);
    expect(await claimOnce(deliveries)).toMatchObject({ attempts: [], nextInMs: 1_000 });
    clock.advance(1_000);
    expect(idsOf(await claimAll(deliveries))).toEqual(['m2']);
  });

  it('wait for the end of a backoff even if a claim that waits for a lock ends after a later claim', async () => {
    const { webhooks, deliveries, pool, schema, inTransaction } = await openStores();
    await register(webhooks, 'backing off');
    await register(webhooks, 'locked', { accountId: 8 });
    await deliveries.publish(keyedMessage('m1'));
    const ends = (await claimAll(deliveries)).map((each) => endOf(each, DELIVERED, 3_600_000));
    await deliveries.complete(ends, COMPLETE);
    await deliveries.publish(keyedMessage('m2'));
    expect(await claimAll(deliveries)).toEqual([]);
    await deliveries.publish(keyedMessage('m3', { accountId: 8 }));
    let claiming: Promise<unknown> | undefined;
    await inTransaction(async (client) => {
      // The first claim waits for this lock. Meanwhile the second one runs, and records its later time.
      await client.query('SELECT FROM queues FOR UPDATE');
      claiming = claimOnce(deliveries);
      // It waits by the time of the server, which no test can turn.
      const waitedMs = async () => {
        const { rows } = await pool.query(
          `SELECT 1000 * extract(epoch FROM clock_timestamp() - query_start) AS ms FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
          [schema],
        );
        return Number(rows[0]?.ms ?? 0);
      };
      await expect.poll(waitedMs, { timeout: PATIENT_MS }).toBeGreaterThan(1_100);
      await claimOnce(deliveries);
    });
    expect(await claiming).toMatchObject({ attempts: [{ deliveryId: 'm3' }] });
    expect(await claimAll(deliveries)).toEqual([]);
  });

  it('keep their rate if a claim began before another one that has the longest margin', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries } = await openStores({ clock });
    await register(webhooks, 'w1', { rateLimit: 1 });
    for (const id of ['m1', 'm2']) await deliveries.publish(keyedMessage(id));
    const rateMarginMs = LONGEST_RATE_MARGIN_MS;
    expect(idsOf(await claimAll(deliveries, { rateMarginMs }))).toEqual(['m1']);
    // As if this claim had begun before the first one, and waited since.
    const waitedMs = 4_000;
    clock.advance(-waitedMs);
    await deliveries.publish(keyedMessage('m3'));
    expect(await claimAll(deliveries)).toEqual([]);
    clock.advance(waitedMs + rateMarginMs + 999);
    expect(await claimAll(deliveries)).toEqual([]);
    clock.advance(1);
    expect(idsOf(await claimAll(deliveries))).toEqual(['m2']);
  });

  it('are not due and cost a claim nothing while their queue waits for an attempt to end', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries, pool, schema } = await openStores({ clock });
    await register(webhooks, 'w1');
    const limits = { maxInFlightPerWebhook: 1 };
    for (const id of ['m1', 'm2']) await deliveries.publish(keyedMessage(id));
    const [first] = await claimAll(deliveries, limits);
    const readQueues = async () => (await pool.query(`SELECT * FROM ${schema}.queues`)).rows;
    const capped = await readQueues();
    expect(capped).toMatchObject([{ capped_by: 'webhook' }]);
    await deliveries.publish(keyedMessage('m3'));
    clock.advance(1);
    expect(await deliveries.stats()).toEqual({ pending: 3, oldestDueAgeMs: 0 });
    expect(await claimAll(deliveries, limits)).toEqual([]);
    expect(await readQueues()).toEqual(capped);
    await completeAll(deliveries, [first ?? expect.fail()], DELIVERED);
    expect(idsOf(await claimAll(deliveries, limits))).toEqual(['m2']);
  });

  it('of capped queues wait while the attempt in flight is completed after the end of its lease', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries, pool, schema, inTransaction } = await openStores({ clock });
    for (const id of ['w1', 'w2']) await register(webhooks, id);
    const limits = { maxInFlightPerAccount: 1 };
    await deliveries.publish(keyedMessage('m1'));
    expect((await claimOnce(deliveries, { limit: 1 })).attempts).toHaveLength(1);
    clock.advance(1);
    expect(await claimAll(deliveries, limits)).toEqual([]);
    const readQueues = async () =>
      (await pool.query(`SELECT * FROM ${schema}.queues ORDER BY queue`)).rows;
    const capped = await readQueues();
    clock.advance(CLAIM.leaseMs - 1);
    await inTransaction(async (client) => {
      await client.query('DELETE FROM leases');
      expect(await claimOnce(deliveries, limits)).toMatchObject({ attempts: [] });
      expect(await readQueues()).toEqual(capped);
    });
    expect(await claimAll(deliveries, limits)).toHaveLength(1);
  });

  it('are claimed without a wait for another account that is locked', async () => {
    const stores = await openStores();
    const { webhooks, deliveries, inTransaction, schema } = stores;
    await register(webhooks, 'w1');
    await register(webhooks, 'w2', { accountId: 8 });
    await deliveries.publish(keyedMessage('m1'));
    await deliveries.publish(keyedMessage('m2', { accountId: 8 }));
    await inTransaction(async (client) => {
      await client.query(`SELECT ${schema}.lock_account('${ACCOUNT_ID}')`);
      expect(idsOf((await claimOnce(deliveries)).attempts)).toEqual(['m2']);
    });
    expect(idsOf(await claimAll(deliveries))).toEqual(['m1']);
  });

  it('keep at most 102 counts of attempt starts for a webhook with 300 attempts in two periods', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries, pool, schema } = await openStores({ clock });
    await register(webhooks, 'w1', { rateLimit: 1_000, rateLimitPeriod: 'minute' });
    for (let i = 0; i < 300; i += 1) {
      await deliveries.publish(keyedMessage(`m${i}`));
      const attempts = await claimAll(deliveries);
      expect(attempts).toHaveLength(1);
      await completeAll(deliveries, attempts, DELIVERED);
      clock.advance(400);
    }
    const { rows } = await pool.query(`SELECT cardinality(starts) AS count FROM ${schema}.queues`);
    expect(rows[0].count).toBeGreaterThan(25);
    expect(rows[0].count).toBeLessThanOrEqual(102);
  });

  it('are published once if two processes publish the same keys in opposite orders', async () => {
    const { webhooks, deliveries, schema } = await openStores({ max: 24 });
    const another = postgresStorage(connect(), { schema, deadlineMs: PATIENT_MS });
    const { deliveries: other } = withWebhooks(another);
    await register(webhooks, 'w1');
    for (let round = 0; round < 10; round += 1) {
      const messages = Array.from({ length: 24 }, (_, i) => keyedMessage(`m${round}-${i}`));
      const published = await Promise.all([
        ...messages.map((message) => deliveries.publish(message)),
        ...messages.toReversed().map((message) => other.publish(message)),
      ]);
      const outcomes = published.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'published')).toHaveLength(24);
      expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(24);
    }
  });

  it('never deadlock under parallel calls for several webhooks and accounts', async () => {
    const { webhooks, deliveries, pool } = await openStores({ max: 24 });
    const refs: WebhookRecord[] = [];
    for (let i = 0; i < 8; i += 1) {
      refs.push(await register(webhooks, `w${i}`, { accountId: i % 3 }));
    }
    const { outbox } = deliveries;
    if (outbox === undefined) throw new Error('there is no outbox');
    const claimed: ClaimedAttempt[] = [];
    const outcomes = [DELIVERED, retryIn(0), EXHAUSTED];
    // Messages expire, queues overflow and leases end meanwhile, as each of these takes further locks.
    const work = Array.from({ length: 320 }, (_, i) => async () => {
      const ref = refs[i % 8] ?? expect.fail();
      const message = keyedMessage(`m${i}`, {
        accountId: i % 3,
        retentionMs: 50,
        maxQueued: 5,
      });
      switch (i % 8) {
        case 0:
          return outbox.publishWithin(pool, message);
        case 1:
        case 2:
          return claimed.push(...(await claimOnce(deliveries, { leaseMs: 20 })).attempts);
        case 3: {
          const ends = claimed
            .splice(0, 10)
            .map((attempt, j) => endOf(attempt, outcomes[j % 3] ?? DELIVERED, j));
          return deliveries.complete(ends, { ...COMPLETE, disableAfterMs: 30 });
        }
        case 4:
          return i === 100 ? webhooks.remove(ref) : webhooks.enable(ref);
        case 5:
          return deliveries.redeliverFailed(ref, { sinceMs: 0, limit: 5 });
        default:
          return deliveries.publish(message);
      }
    });
    const settled = await Promise.allSettled(work.map((step) => step()));
    expect(settled.filter(({ status }) => status === 'rejected')).toEqual([]);
    await completeAll(deliveries, claimed, DELIVERED);
    const counts = await Promise.all(
      [0, 1, 2].map((id) => webhooks.list(id, { limit: 100, after: null })),
    );
    // All but the removed one.
    expect(counts.flat()).toHaveLength(7);
  });
});
