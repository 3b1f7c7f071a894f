import { gaugeDeliveries } from '@latchhook/opentelemetry';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it } from 'vitest';
import { keyedMessage, openStores } from '../postgres/delivery-scene.ts';
import { HAS_POSTGRES } from '../postgres/open-schema.ts';
import { ACCOUNT_ID, register } from '../support/storage/webhook-samples.ts';
import { startTelemetryRecorder } from './telemetry-recorder.ts';

/** The gauges of a storage in PostgreSQL, from which no process sends. */
async function startGauges() {
  const { points, providers } = startTelemetryRecorder();
  const clock = turnableClock();
  const stores = await openStores({ clock });
  await register(stores.webhooks, 'w1');
  gaugeDeliveries(stores, providers);
  const outbox = stores.deliveries.outbox ?? expect.fail();
  /** What one metric shows, if it shows anything. */
  const shown = async (metric: string) => (await points(metric)).map(({ count }) => count);
  return { ...stores, clock, outbox, shown, points };
}

describe.skipIf(!HAS_POSTGRES)('the gauges of the outbox', () => {
  it('say how many messages wait, and for how long, while no process takes them', async () => {
    const { outbox, pool, clock, shown, points } = await startGauges();
    expect(await points('latchhook.outbox.lag')).toEqual([{ attributes: {}, count: 0 }]);
    await outbox.publishWithin(pool, keyedMessage('m1'));
    clock.advance(30_000);
    await outbox.publishWithin(pool, keyedMessage('m2'));
    clock.advance(60_000);
    expect(await points('latchhook.outbox.pending')).toEqual([{ attributes: {}, count: 2 }]);
    expect(await points('latchhook.outbox.lag')).toEqual([{ attributes: {}, count: 90 }]);
    expect(await shown('latchhook.delivery.pending')).toEqual([0]);
    await outbox.takeCommitted({ limit: 100 });
    expect(await shown('latchhook.outbox.pending')).toEqual([0]);
    expect(await shown('latchhook.outbox.lag')).toEqual([0]);
    expect(await shown('latchhook.delivery.pending')).toEqual([2]);
  });

  it('count up to 10,000', async () => {
    const { pool, schema, shown } = await startGauges();
    await pool.query(`
      INSERT INTO ${schema}.outbox (account_id, message_id, event, body, idempotency_ms, retention_ms,
        max_queued, rate_margin_ms)
      SELECT ${ACCOUNT_ID}, 'm' || n, 'Contact.Added', '{}', 1000, 60000, 10000, 0
        FROM generate_series(1, 10001) AS n`);
    expect(await shown('latchhook.outbox.pending')).toEqual([10_000]);
  });

  it('say nothing if the outbox cannot be measured, and leave those of deliveries alone', async () => {
    const { pool, schema, shown } = await startGauges();
    await pool.query(`DROP FUNCTION ${schema}.measure_outbox_lag`);
    expect(await shown('latchhook.outbox.pending')).toEqual([]);
    expect(await shown('latchhook.outbox.lag')).toEqual([]);
    expect(await shown('latchhook.delivery.lag')).toEqual([0]);
  });
});
