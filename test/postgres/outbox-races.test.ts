import { setTimeout as elapsed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../support/storage/seeded-random.ts';
import { within } from '../support/time/own-time.ts';
import { HAS_POSTGRES } from './open-schema.ts';
import {
  ACCOUNT_ID,
  inTransaction,
  openOutboxApp,
  publish,
  QUIET_MS,
  SOON_MS,
} from './outbox-app.ts';

describe.skipIf(!HAS_POSTGRES)('publishing in parallel transactions', () => {
  it('sends one delivery for one idempotency key', async () => {
    const { receiver, pool, app } = await openOutboxApp();
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

  it('sends exactly the committed events of 200 transactions', async () => {
    const { receiver, pool, app } = await openOutboxApp();
    const random = seededRandom(5);
    const committed = new Set<string>();
    await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const isRolledBack = random() < 1 / 3;
        try {
          const { id } = await inTransaction(pool, async (tx) => {
            const event = await publish(app, tx, i);
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
});
