import type { Verdict } from '@latchhook/core/storage';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it } from 'vitest';
import {
  DAY_MS,
  DELIVERED,
  deliveryTo,
  finishing,
  register,
  retryAfter,
  starting,
} from '../support/storage/webhook-samples.ts';
import { keyedMessage, openStores } from './delivery-scene.ts';
import { HAS_POSTGRES } from './open-schema.ts';

describe.skipIf(!HAS_POSTGRES)('deliveries in PostgreSQL, some of them forgotten', () => {
  it('are deleted once they are forgotten, with their messages and keys', async () => {
    const clock = turnableClock();
    const stores = await openStores({ clock });
    const { deliveries, countRows } = stores;
    await register(stores.webhooks, 'w1');
    for (let nth = 0; nth < 20; nth += 1) await deliveries.publish(keyedMessage(`m${nth}`));
    await deliveries.start(starting(deliveryTo('w1', 'm0')));
    clock.advance(2 * DAY_MS);
    await deliveries.overdue({ graceMs: 0, limit: 10, putOffMs: 0 });
    for (const table of ['deliveries', 'messages', 'idempotency_keys']) {
      expect([table, await countRows(table)]).toEqual([table, 0]);
    }
    // The counts are right afterwards: the line is empty, and begins with the next delivery.
    await deliveries.publish(keyedMessage('m20'));
    const answer = await deliveries.publish(keyedMessage('m21', { maxQueued: 1 }));
    expect(answer).toMatchObject({ expired: [{ deliveryId: 'm20' }] });
  });

  it('make room for the next if the clock of the server is set back to before they were forgotten', async () => {
    let nowMs = 1_700_000_000_000;
    const stores = await openStores({ clock: { nowMs: () => nowMs } });
    const { deliveries, countRows, inTransaction } = stores;
    await register(stores.webhooks, 'w1');
    const ask = (id: string) =>
      deliveries.start(starting(deliveryTo('w1', id), { maxInFlight: 1 }));
    await deliveries.publish(keyedMessage('lost', { retentionMs: 50 }));
    await deliveries.publish(keyedMessage('parked'));
    expect(await ask('parked')).toMatchObject({ reason: 'in_flight' });
    nowMs += 50;
    await inTransaction(async (client) => {
      // While it is locked only the message is deleted.
      await client.query('SELECT FROM webhooks FOR UPDATE');
      await deliveries.overdue({ graceMs: DAY_MS, limit: 10, putOffMs: 0 });
    });
    expect([await countRows('messages'), await countRows('deliveries')]).toEqual([1, 2]);
    nowMs -= 50;
    expect(await ask('lost')).toEqual({
      outcome: 'over',
      next: { ...deliveryTo('w1', 'parked'), run: 1, delayMs: 0 },
    });
    expect(await deliveries.find(deliveryTo('w1', 'lost'))).toBeNull();
    expect(await ask('parked')).toMatchObject({ outcome: 'started' });
  });

  it('are woken behind a retry, even if others behind that are forgotten', async () => {
    const clock = turnableClock();
    const stores = await openStores({ clock });
    const { webhooks, deliveries } = stores;
    await register(webhooks, 'w1');
    const ask = (id: string, maxInFlight = 2) =>
      deliveries.start(starting(deliveryTo('w1', id), { maxInFlight }));
    const finish = (id: string, verdict: Verdict, maxInFlight = 2) =>
      deliveries.finish(finishing(deliveryTo('w1', id), 1, verdict, { maxInFlight }));
    for (const id of ['r1', 'r2', 'x1', 'x2']) {
      await deliveries.publish(keyedMessage(id, id === 'r2' ? { retentionMs: 50 } : {}));
      await ask(id);
      if (id.startsWith('r')) await finish(id, retryAfter(0));
    }
    expect(await ask('r1')).toMatchObject({ reason: 'in_flight' });
    // From here on it is not parked, and about to ask.
    expect(await finish('x1', DELIVERED)).toMatchObject({ next: { deliveryId: 'r1' } });
    for (const id of ['f1', 'f2']) await deliveries.publish(keyedMessage(id));
    for (const id of ['r2', 'f2']) expect(await ask(id)).toMatchObject({ reason: 'in_flight' });
    clock.advance(50);
    // Before it are `r1` and `f1`.
    expect(await finish('x2', DELIVERED, 3)).toMatchObject({
      next: { deliveryId: 'f2' },
    });
    expect(await ask('f2', 3)).toMatchObject({ outcome: 'started' });
  });
});
