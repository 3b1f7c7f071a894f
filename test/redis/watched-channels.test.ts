import { redisStorage } from '@latchhook/redis';
import type { Redis } from 'ioredis';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const PATIENT = { timeout: PATIENT_MS, interval: 10 };

/** Subscribes to notifications by a storage on its own client. */
function subscribe(client: Redis, keyPrefix: string): { readonly notifications: () => number } {
  let count = 0;
  const { deliveries } = redisStorage(client, { keyPrefix, deadlineMs: PATIENT_MS });
  const end = deliveries.subscribe?.(() => {
    count += 1;
  });
  onTestFinished(async () => end?.());
  return { notifications: () => count };
}

/** Publishes on the channel until the subscriber is notified. */
async function untilNotified(
  admin: Redis,
  keyPrefix: string,
  notifications: () => number,
): Promise<void> {
  const before = notifications();
  await vi.waitFor(async () => {
    await admin.publish(`${keyPrefix}:{webhooks}:due`, '');
    expect(notifications()).toBeGreaterThan(before);
  }, PATIENT);
}

it.each([
  ['connects immediately', {}],
  ['connects lazily', { lazyConnect: true }],
  ['has no offline queue', { enableOfflineQueue: false }],
])('a worker whose client %s is notified of due deliveries', async (_, options) => {
  const keyPrefix = uniquePrefix();
  const client = connect(inject('redisUrl'), options);
  const { notifications } = subscribe(client, keyPrefix);
  await untilNotified(connect(), keyPrefix, notifications);
});

it('a worker is notified after a reconnect, also of notifications that it missed', async () => {
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  const admin = connect(server.url);
  const keyPrefix = uniquePrefix();
  const { notifications } = subscribe(connect(server.url), keyPrefix);
  await untilNotified(admin, keyPrefix, notifications);
  const before = notifications();
  await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await vi.waitFor(() => expect(notifications()).toBeGreaterThan(before), PATIENT);
  await untilNotified(admin, keyPrefix, notifications);
});

it('a worker is notified once it may subscribe after a rejection', async () => {
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  const admin = connect(server.url);
  const keyPrefix = uniquePrefix();
  await admin.call('ACL', 'SETUSER', 'worker', 'on', '>word', '~*', '+@all', 'resetchannels');
  const url = Object.assign(new URL(server.url), { username: 'worker', password: 'word' });
  const { notifications } = subscribe(connect(url.href), keyPrefix);
  await vi.waitFor(async () => {
    const log = await admin.call('ACL', 'LOG');
    expect(Array.isArray(log) && log.length).toBeGreaterThan(0);
  }, PATIENT);
  expect(notifications()).toBe(0);
  await admin.call('ACL', 'SETUSER', 'worker', 'allchannels');
  await untilNotified(admin, keyPrefix, notifications);
});
