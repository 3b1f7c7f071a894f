import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createDeliveryWorker, inProcessDelivery } from '@latchhook/delivery';
import { postgresStorage } from '@latchhook/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { outputLine } from '../support/apps/output-line.ts';
import { startProcessGroup } from '../support/apps/process-group.ts';
import { within } from '../support/time/own-time.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, HAS_POSTGRES, postgresUrl } from './open-schema.ts';
import {
  inTransaction,
  notSending,
  type OutboxApp,
  openOutboxApp,
  publish,
  SOON_MS,
  sending,
} from './outbox-app.ts';

const WORKER = fileURLToPath(new URL('./outbox-worker.mjs', import.meta.url));

describe.skipIf(!HAS_POSTGRES)('the relay of the outbox', () => {
  it('sends what committed while no process was sending', async () => {
    const { receiver, schema, pool, app } = await openOutboxApp({ delivery: notSending });
    const { id } = await inTransaction(pool, (tx) => publish(app, tx));
    startWorker(schema, app, sending());
    await within(SOON_MS, receiver.untilDistinct(1));
    expect([...receiver.arrivals.keys()]).toEqual([id]);
  });

  it('sends what a process had taken that died before it handed it over', async () => {
    const { receiver, schema, pool, app } = await openOutboxApp({ delivery: notSending });
    const group = await startProcessGroup(process.execPath, [WORKER], {
      env: {
        PATH: process.env['PATH'],
        PG_URL: postgresUrl(),
        PG_SCHEMA: schema,
        ENCRYPTION_KEY: Buffer.from(app.encryptionKey).toString('base64'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => group.kill9());
    await outputLine(group.child, /ready/);
    const died = once(group.child, 'exit');
    const { id } = await inTransaction(pool, (tx) => publish(app, tx));
    expect(await died).toEqual([null, 'SIGKILL']);
    expect(receiver.arrivals.size).toBe(0);
    startWorker(schema, app, sending());
    await within(SOON_MS, receiver.untilDistinct(1));
    expect([...receiver.arrivals.keys()]).toEqual([id]);
  });

  it('goes on when the connection that listens is lost', async () => {
    const { receiver, schema, pool, app } = await openOutboxApp({ delivery: inProcessDelivery() });
    await inTransaction(pool, (tx) => publish(app, tx));
    await within(SOON_MS, receiver.untilDistinct(1));
    const { rowCount } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN ${schema}_outbox'`,
    );
    expect(rowCount).toBe(1);
    await inTransaction(pool, (tx) => publish(app, tx));
    await within(SOON_MS, receiver.untilDistinct(2));
  });
});

/** Starts one more process that sends for the app. */
function startWorker(
  schema: string,
  { encryptionKey }: OutboxApp,
  delivery: ReturnType<typeof sending>,
): void {
  const worker = createDeliveryWorker({
    storage: postgresStorage(connect(), { schema, deadlineMs: PATIENT_MS }),
    keys: { encryption: [encryptionKey] },
    webhooks: { delivery, allowHttp: true, allowPrivateAddresses: true },
  });
  onTestFinished(() => worker.close());
}
