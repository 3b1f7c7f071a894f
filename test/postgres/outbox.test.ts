import { once } from 'node:events';
import { setTimeout as elapsed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import type { PublishedEvent, SqlTransaction } from '@latchhook/core';
import { createDeliveryWorker, inProcessDelivery } from '@latchhook/delivery';
import { migrate, postgresStorage } from '@latchhook/postgres';
import type { Pool, PoolClient } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startCountingReceiver } from '../support/counting-receiver.ts';
import { outputLine } from '../support/output-line.ts';
import { within } from '../support/own-time.ts';
import { PATIENT_MS } from '../support/patience.ts';
import { startProcessGroup } from '../support/process-group.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { connect, HAS_POSTGRES, openSchema, postgresUrl } from './open-schema.ts';
import { ACCOUNT_ID, notSending, type OutboxApp, sending, startOutboxApp } from './outbox-app.ts';

const WORKER = fileURLToPath(new URL('./outbox-worker.mjs', import.meta.url));

/** Well before a relay looks without a notification. */
const SOON_MS = 3_000;
/** How long to watch that nothing arrives. */
const QUIET_MS = 500;

function publish({ auth }: OutboxApp, tx: SqlTransaction, nth = 0): Promise<PublishedEvent> {
  return auth.events.publish('Contact.Added', { accountId: ACCOUNT_ID, data: { nth } }, { tx });
}

async function inTransaction<Result>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** The host has a pool of its own, apart from the one that sends, so that neither can do the other's work. */
async function openApp({ delivery = sending() } = {}) {
  const receiver = await startCountingReceiver();
  const schema = await openSchema();
  const pool = connect();
  const app = await startOutboxApp(connect(), schema, { delivery, url: receiver.url });
  return { receiver, schema, pool, app };
}

describe.skipIf(!HAS_POSTGRES)('publishing within a transaction', () => {
  it('sends once it has committed, and not before', async () => {
    const { receiver, pool, app } = await openApp();
    const event = await inTransaction(pool, async (tx) => {
      const published = await publish(app, tx);
      await elapsed(QUIET_MS);
      expect(receiver.arrivals.size).toBe(0);
      return published;
    });
    expect(event.deliveries).toBe(1);
    await within(SOON_MS, receiver.untilDistinct(1));
    expect([...receiver.arrivals.keys()]).toEqual([event.id]);
  });

  it('sends nothing where it was rolled back', async () => {
    const { receiver, pool, app } = await openApp();
    const rolledBack = inTransaction(pool, async (tx) => {
      await publish(app, tx);
      throw new Error('the host thought better of it');
    });
    await expect(rolledBack).rejects.toThrow('thought better');
    const { id } = await inTransaction(pool, (tx) => publish(app, tx));
    await within(SOON_MS, receiver.untilDistinct(1));
    await elapsed(QUIET_MS);
    expect([...receiver.arrivals.keys()]).toEqual([id]);
  });

  it('belongs to the savepoint that it was published in', async () => {
    const { receiver, pool, app } = await openApp();
    const { id } = await inTransaction(pool, async (tx) => {
      await tx.query('SAVEPOINT before');
      await publish(app, tx);
      await tx.query('ROLLBACK TO before');
      return publish(app, tx);
    });
    await within(SOON_MS, receiver.untilDistinct(1));
    await elapsed(QUIET_MS);
    expect([...receiver.arrivals.keys()]).toEqual([id]);
  });

  it('keeps the webhook going while the transaction is open', async () => {
    const { receiver, pool, app } = await openApp();
    await inTransaction(pool, async (tx) => {
      await publish(app, tx);
      await app.auth.events.publish('Contact.Added', { accountId: ACCOUNT_ID, data: {} });
      await within(SOON_MS, receiver.untilDistinct(1));
    });
    await within(SOON_MS, receiver.untilDistinct(2));
  });

  it('works at any isolation level, and for a role that may only use the schema', async () => {
    const { receiver, schema, pool, app } = await openApp();
    const role = `host_${schema}`;
    await pool.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    onTestFinished(async () => {
      const admin = connect();
      await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    });
    for (const level of ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']) {
      await inTransaction(pool, async (tx) => {
        await tx.query(`SET TRANSACTION ISOLATION LEVEL ${level}`);
        await tx.query(`SET LOCAL ROLE ${role}`);
        await publish(app, tx);
      });
    }
    await within(SOON_MS, receiver.untilDistinct(3));
  });

  it('keeps the order of transactions that follow one another', async () => {
    const { receiver, pool, app } = await openApp();
    const ids: string[] = [];
    for (let nth = 0; nth < 30; nth += 1) {
      const first = await inTransaction(pool, async (tx) => {
        const events = [await publish(app, tx, nth), await publish(app, tx, nth)];
        return events.map(({ id }) => id);
      });
      ids.push(...first);
    }
    await within(SOON_MS, receiver.untilDistinct(ids.length));
    const listed = await app.deliveries.list(app.webhook, { limit: 100, after: null });
    expect(listed?.map(({ deliveryId }) => deliveryId)).toEqual(ids.toReversed());
  });

  it('publishes once under one key, however many transactions do', async () => {
    const { receiver, pool, app } = await openApp();
    const message = { accountId: ACCOUNT_ID, data: {}, idempotencyKey: 'order 17' };
    await Promise.all(
      Array.from({ length: 20 }, () =>
        inTransaction(pool, (tx) => app.auth.events.publish('Contact.Added', message, { tx })),
      ),
    );
    await within(SOON_MS, receiver.untilDistinct(1));
    const [first] = [...receiver.arrivals.keys()];
    const again = await inTransaction(pool, (tx) =>
      app.auth.events.publish('Contact.Added', message, { tx }),
    );
    expect(again).toEqual({ id: first, deliveries: 1 });
    await elapsed(QUIET_MS);
    expect(receiver.arrivals.size).toBe(1);
  });

  it('sends exactly what was committed of 200 transactions at once', async () => {
    const { receiver, pool, app } = await openApp();
    const random = seededRandom(5);
    const committed = new Set<string>();
    await Promise.all(
      Array.from({ length: 200 }, async (_, nth) => {
        const isRolledBack = random() < 1 / 3;
        try {
          const { id } = await inTransaction(pool, async (tx) => {
            const event = await publish(app, tx, nth);
            if (isRolledBack) throw new Error('rolled back');
            return event;
          });
          committed.add(id);
        } catch (error) {
          if (!isRolledBack) throw error;
        }
      }),
    );
    expect(committed.size).toBeGreaterThan(100);
    await receiver.untilDistinct(committed.size);
    await elapsed(QUIET_MS);
    expect(new Set(receiver.arrivals.keys())).toEqual(committed);
    expect([...receiver.arrivals.values()].every(({ length }) => length === 1)).toBe(true);
  });

  it('sends what committed while no process was sending', async () => {
    const { receiver, schema, pool, app } = await openApp({ delivery: notSending });
    const { id } = await inTransaction(pool, (tx) => publish(app, tx));
    startWorker(schema, app, sending());
    await within(SOON_MS, receiver.untilDistinct(1));
    expect([...receiver.arrivals.keys()]).toEqual([id]);
  });

  it('sends what a process had taken that died before it handed it over', async () => {
    const { receiver, schema, pool, app } = await openApp({ delivery: notSending });
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
    const { receiver, schema, pool, app } = await openApp({ delivery: inProcessDelivery() });
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

describe('publishing within a transaction of PGlite', () => {
  it('sends once it has committed, and nothing where it was rolled back', async () => {
    const receiver = await startCountingReceiver();
    const pglite = new PGlite();
    onTestFinished(() => pglite.close());
    await migrate(pglite);
    const app = await startOutboxApp(pglite, 'latchhook', {
      delivery: sending(),
      url: receiver.url,
    });
    const rolledBack = pglite.transaction(async (tx) => {
      await publish(app, tx);
      throw new Error('the host thought better of it');
    });
    await expect(rolledBack).rejects.toThrow('thought better');
    const { id } = await pglite.transaction((tx) => publish(app, tx));
    await within(SOON_MS, receiver.untilDistinct(1));
    expect([...receiver.arrivals.keys()]).toEqual([id]);
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
