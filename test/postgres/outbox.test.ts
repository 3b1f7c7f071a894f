import { setTimeout as elapsed } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { inProcessWorker } from '@latchhook/delivery';
import { migrate } from '@latchhook/postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { within } from '../support/time/own-time.ts';
import { connect, HAS_POSTGRES } from './open-schema.ts';
import {
  ACCOUNT_ID,
  inTransaction,
  openOutboxApp,
  publish,
  QUIET_MS,
  SOON_MS,
  startOutboxApp,
} from './outbox-app.ts';

describe.skipIf(!HAS_POSTGRES)('publishing in a transaction', () => {
  it('sends the event after the commit, and not before', async () => {
    const { receiver, pool, app } = await openOutboxApp();
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

  it('sends nothing after a rollback', async () => {
    const { receiver, pool, app } = await openOutboxApp();
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

  it('sends nothing from a savepoint that is rolled back', async () => {
    const { receiver, pool, app } = await openOutboxApp();
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

  it('does not block other events of the webhook while the transaction is open', async () => {
    const { receiver, pool, app } = await openOutboxApp();
    await inTransaction(pool, async (tx) => {
      await publish(app, tx);
      await app.auth.events.publish('Contact.Added', { accountId: ACCOUNT_ID, data: {} });
      await within(SOON_MS, receiver.untilDistinct(1));
    });
    await within(SOON_MS, receiver.untilDistinct(2));
  });

  it('works at any isolation level, and for a role with only USAGE on the schema', async () => {
    const { receiver, schema, pool, app } = await openOutboxApp();
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

  it('keeps the order of consecutive transactions', async () => {
    const { receiver, pool, app } = await openOutboxApp();
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1) {
      const first = await inTransaction(pool, async (tx) => {
        const events = [await publish(app, tx, i), await publish(app, tx, i)];
        return events.map(({ id }) => id);
      });
      ids.push(...first);
    }
    await within(SOON_MS, receiver.untilDistinct(ids.length));
    const listed = await app.deliveries.list(app.webhook, { limit: 100, after: null });
    expect(listed?.map(({ deliveryId }) => deliveryId)).toEqual(ids.toReversed());
  });
});

describe('publishing in a transaction of PGlite', () => {
  it('sends the event after the commit, and nothing after a rollback', async () => {
    const receiver = await startCountingReceiver();
    const pglite = new PGlite();
    onTestFinished(() => pglite.close());
    await migrate(pglite);
    const app = await startOutboxApp(pglite, 'latchhook', {
      worker: inProcessWorker(),
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
