import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createAuth } from '../create-auth.ts';
import { mapMethods } from '../storage/map-methods.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { STORE_METHODS } from '../storage/store-methods.ts';
import type { User } from '../users/users.ts';
import type { StartDeliveryWorker } from './deliveries/delivery-worker.ts';

const ada: User = { id: 'ada', passwordHash: null, accounts: [1] };

/** An app that publishes each login. Its storage stores nothing until the test calls `release`. */
function appThatPublishesLogins(worker: StartDeliveryWorker | false = false) {
  const order: string[] = [];
  const storage = memoryStorage();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const auth = createAuth({
    issuer: 'http://localhost',
    environment: 'development',
    users: { findById: async () => ada, findByUsername: async () => ada },
    storage: {
      ...storage,
      deliveries: mapMethods(storage.deliveries, STORE_METHODS.deliveries, async (call) => {
        await released;
        order.push('published');
        return call();
      }),
    },
    webhooks: { worker, events: { 'login.new': { securityEvent: 'login.succeeded' } } },
  });
  return { auth, order, release };
}

it('drainDeliveries waits for pending security events before it drains the worker', async () => {
  const { auth, order, release } = appThatPublishesLogins(() => ({
    drain: async () => {
      order.push('drained');
      return { outcome: 'drained' };
    },
    close: async () => {},
  }));
  await auth.login('ada', { amr: ['fed'] });
  const drained = auth.drainDeliveries({ deadlineMs: 60_000 });
  await nextTurn();
  release();
  expect(await drained).toEqual({ outcome: 'drained' });
  expect(order).toEqual(['published', 'drained']);
});

it('drainDeliveries without a worker waits for security events until its deadline', async () => {
  const { auth, order, release } = appThatPublishesLogins();
  await auth.login('ada', { amr: ['fed'] });
  expect(await auth.drainDeliveries({ deadlineMs: 1 })).toEqual({ outcome: 'deadline' });
  release();
  expect(await auth.drainDeliveries({ deadlineMs: 60_000 })).toEqual({ outcome: 'drained' });
  expect(order).toEqual(['published']);
});
