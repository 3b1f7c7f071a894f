import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createDeliveryWorker, inProcessWorker } from '@latchhook/delivery';
import { postgresStorage } from '@latchhook/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { outputLine } from '../support/apps/output-line.ts';
import { startProcessGroup } from '../support/apps/process-group.ts';
import { within } from '../support/time/own-time.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, postgresUrl } from './open-schema.ts';
import { inTransaction, type OutboxApp, openOutboxApp, publish, SOON_MS } from './outbox-app.ts';

const PUBLISHER = fileURLToPath(new URL('./outbox-publisher.mjs', import.meta.url));
const WORKER = fileURLToPath(new URL('./outbox-worker.mjs', import.meta.url));

describe.skipIf(!HAS_POSTGRES)('workers on an outbox', () => {
  it('send an event that was committed while no worker ran', async () => {
    const { receiver, schema, pool, app } = await openOutboxApp({ worker: false });
    const { id } = await inTransaction(pool, (tx) => publish(app, tx));
    startWorker(schema, app);
    await within(SOON_MS, receiver.untilDistinct(1));
    expect([...receiver.arrivals.keys()]).toEqual([id]);
  });

  it('send the events that a process committed before it was killed', async () => {
    const { receiver, schema, app } = await openOutboxApp({ worker: false });
    const group = await startProcess(PUBLISHER, schema, app);
    const died = once(group.child, 'exit');
    await outputLine(group.child, /committed/);
    await group.kill9();
    expect(await died).toEqual([null, 'SIGKILL']);
    startWorker(schema, app);
    await within(SOON_MS, receiver.untilDistinct(20));
    // The worker sends in this order, but over connections that may overtake one another.
    expect(new Set(receiver.arrivals.keys())).toEqual(
      new Set(Array.from({ length: 20 }, (_, i) => `m${i}`)),
    );
  });

  it('send an event that a killed worker had claimed, once its lease is over', async () => {
    const { receiver, schema, pool, app } = await openOutboxApp({ worker: false });
    const group = await startProcess(WORKER, schema, app);
    const died = once(group.child, 'exit');
    await outputLine(group.child, /ready/);
    const { id } = await inTransaction(pool, (tx) => publish(app, tx));
    expect(await died).toEqual([null, 'SIGKILL']);
    expect(receiver.arrivals.size).toBe(0);
    await pool.query(`UPDATE ${schema}.leases SET ends_at_ms = claimed_at_ms`);
    startWorker(schema, app);
    await within(SOON_MS, receiver.untilDistinct(1));
    expect([...receiver.arrivals.keys()]).toEqual([id]);
  });

  it('recover after the LISTEN connection is lost', async () => {
    const { receiver, schema, pool, app } = await openOutboxApp({ worker: inProcessWorker() });
    await inTransaction(pool, (tx) => publish(app, tx));
    await within(SOON_MS, receiver.untilDistinct(1));
    const { rowCount } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN ${schema}_due'`,
    );
    expect(rowCount).toBe(1);
    await inTransaction(pool, (tx) => publish(app, tx));
    await within(SOON_MS, receiver.untilDistinct(2));
  });
});

/** Starts a process, which is killed at the end of the test. */
async function startProcess(file: string, schema: string, { encryptionKey }: OutboxApp) {
  const group = await startProcessGroup(process.execPath, [file], {
    env: {
      PATH: process.env['PATH'],
      PG_URL: postgresUrl(),
      PG_SCHEMA: schema,
      ENCRYPTION_KEY: Buffer.from(encryptionKey).toString('base64'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => group.kill9());
  return group;
}

/** Starts another worker process of the app. */
function startWorker(schema: string, { encryptionKey }: OutboxApp): void {
  const worker = createDeliveryWorker({
    storage: postgresStorage(connect(), { schema, deadlineMs: PATIENT_MS }),
    keys: { encryption: [encryptionKey] },
    webhooks: { allowHttp: true, allowPrivateAddresses: true },
  });
  onTestFinished(() => worker.close());
}
