import { redisStorage } from '@latchhook/redis';
import type { Redis } from 'ioredis';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const PATIENT = { timeout: PATIENT_MS, interval: 10 };

/** Watches over its own client, by another storage than the one who publishes. */
function watch(client: Redis, keyPrefix: string): { readonly told: () => number } {
  let told = 0;
  const { deliveries } = redisStorage(client, { keyPrefix, deadlineMs: PATIENT_MS });
  const end = deliveries.subscribe?.(() => {
    told += 1;
  });
  onTestFinished(async () => end?.());
  return { told: () => told };
}

/** Publishes on the channel until anyone who watches is told of it. */
async function untilTold(admin: Redis, keyPrefix: string, told: () => number): Promise<void> {
  const before = told();
  await vi.waitFor(async () => {
    await admin.publish(`${keyPrefix}:{webhooks}:due`, '');
    expect(told()).toBeGreaterThan(before);
  }, PATIENT);
}

it.each([
  { name: 'connects at once', options: {} },
  { name: 'connects lazily', options: { lazyConnect: true } },
  { name: 'has no offline queue', options: { enableOfflineQueue: false } },
])('a worker whose client $name is notified of due deliveries', async ({ options }) => {
  const keyPrefix = uniquePrefix();
  const client = connect(inject('redisUrl'), options);
  const { told } = watch(client, keyPrefix);
  await untilTold(connect(), keyPrefix, told);
});

it('a worker is notified after a reconnect, and of notifications missed meanwhile', async () => {
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  const admin = connect(server.url);
  const keyPrefix = uniquePrefix();
  const { told } = watch(connect(server.url), keyPrefix);
  await untilTold(admin, keyPrefix, told);
  const before = told();
  await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await vi.waitFor(() => expect(told()).toBeGreaterThan(before), PATIENT);
  await untilTold(admin, keyPrefix, told);
});

it('a worker is notified once it may subscribe after a rejection', async () => {
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  const admin = connect(server.url);
  const keyPrefix = uniquePrefix();
  await admin.call('ACL', 'SETUSER', 'worker', 'on', '>word', '~*', '+@all', 'resetchannels');
  const url = Object.assign(new URL(server.url), { username: 'worker', password: 'word' });
  const { told } = watch(connect(url.href), keyPrefix);
  await vi.waitFor(async () => {
    const log = await admin.call('ACL', 'LOG');
    expect(Array.isArray(log) && log.length).toBeGreaterThan(0);
  }, PATIENT);
  expect(told()).toBe(0);
  await admin.call('ACL', 'SETUSER', 'worker', 'allchannels');
  await untilTold(admin, keyPrefix, told);
});
