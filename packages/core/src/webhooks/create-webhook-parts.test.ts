import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createAuth } from '../create-auth.ts';
import { mapMethods } from '../storage/map-methods.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { STORE_METHODS } from '../storage/store-methods.ts';
import type { User } from '../users/users.ts';
import type { StartDeliveryWorker } from './deliveries/delivery-worker.ts';

const ada: User = { id: 'ada', passwordHash: null, accounts: [1] };

/** An app that publishes each login, to a storage that waits until it is let go on. */
function publishingLogins(worker: StartDeliveryWorker | false = false) {
  const order: string[] = [];
  const storage = memoryStorage();
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const auth = createAuth({
    issuer: 'http://localhost',
    environment: 'development',
    users: { findById: async () => ada, findByUsername: async () => ada },
    storage: {
      ...storage,
      deliveries: mapMethods(storage.deliveries, STORE_METHODS.deliveries, async (call) => {
        await held;
        order.push('published');
        return call();
      }),
    },
    webhooks: { worker, events: { 'login.new': { securityEvent: 'login.succeeded' } } },
  });
  return { auth, order, goOn };
}

it('drainDeliveries waits until security events are published, and then for the worker', async () => {
  const { auth, order, goOn } = publishingLogins(() => ({
    drain: async () => {
      order.push('drained');
      return { outcome: 'drained' };
    },
    close: async () => {},
  }));
  await auth.login('ada', { amr: ['fed'] });
  const drained = auth.drainDeliveries({ deadlineMs: 60_000 });
  await nextTurn();
  goOn();
  expect(await drained).toEqual({ outcome: 'drained' });
  expect(order).toEqual(['published', 'drained']);
});

it('drainDeliveries without a worker waits for security events until its deadline', async () => {
  const { auth, order, goOn } = publishingLogins();
  await auth.login('ada', { amr: ['fed'] });
  expect(await auth.drainDeliveries({ deadlineMs: 1 })).toEqual({ outcome: 'deadline' });
  goOn();
  expect(await auth.drainDeliveries({ deadlineMs: 60_000 })).toEqual({ outcome: 'drained' });
  expect(order).toEqual(['published']);
});
