import { setTimeout as elapsed } from 'node:timers/promises';
import { type ClaimedAttempt, StorageUnavailableError } from '@latchhook/core/storage';
import { redisStorage } from '@latchhook/redis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { retryUntilAvailable } from '../support/storage/retry-until-available.ts';
import {
  deliveryTo,
  LIMITS,
  newMessage,
  newWebhook,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import {
  COMPLETE,
  claimOnce,
  completeAll,
  DELIVERED,
  EXHAUSTED,
  notStarted,
} from './claim-samples.ts';

const deadlineMs = 100;
/** After the deadline and the slack of the guard, ms. */
const tooLateMs = 500;

describe('a command about deliveries whose call timed out', () => {
  it('has no effect if the network delivers it late', async () => {
    const keyPrefix = uniquePrefix();
    const direct = withWebhooks(redisStorage(connect(), { keyPrefix, deadlineMs: PATIENT_MS }));
    const proxy = await startTcpProxy(inject('redisUrl'));
    onTestFinished(() => proxy.stop());
    const proxied = connect(proxy.url);
    const late = withWebhooks(redisStorage(proxied, { keyPrefix, deadlineMs }));
    const webhook = newWebhook('wh_1');
    await direct.webhooks.create(webhook, LIMITS);
    for (const id of ['m0', 'm1', 'm2']) await direct.deliveries.publish(newMessage(id));
    const failed = await claimOnce(direct.deliveries, { limit: 1 });
    await completeAll(direct.deliveries, failed.attempts, EXHAUSTED);
    const { attempts } = await claimOnce(direct.deliveries, { limit: 1 });
    const before = await direct.webhooks.find(webhook);
    // The reply tells the storage the time of Redis.
    await retryUntilAvailable(() => late.webhooks.find(webhook));

    await proxy.blackhole();
    const results = await Promise.allSettled([
      late.deliveries.publish(newMessage('m3')),
      claimOnce(late.deliveries),
      completeAll(late.deliveries, attempts, DELIVERED),
      late.deliveries.redeliver(deliveryTo('wh_1', 'm0')),
      late.deliveries.redeliverFailed(webhook, { sinceMs: 0, limit: 10 }),
      late.webhooks.change(webhook, { rateLimit: 1 }),
      late.webhooks.remove(webhook),
    ]);
    for (const call of results) {
      expect(call).toMatchObject({ reason: expect.any(StorageUnavailableError) });
    }
    await elapsed(tooLateMs);
    await proxy.pass();
    // Commands of one connection run in order: after this reply all of the above have run.
    await proxied.ping();

    expect(await direct.webhooks.find(webhook)).toEqual(before);
    const list = await direct.deliveries.list(webhook, { limit: 10, after: null });
    expect(list).toMatchObject([
      { deliveryId: 'm2', state: 'queued' },
      { deliveryId: 'm1', state: 'sending' },
      { deliveryId: 'm0', state: 'dead' },
    ]);
  });
});

it('a claim passes the attempts of a late reply to onUnsent, which can complete them as not started', async () => {
  const slowMs = 4 * deadlineMs;
  const keyPrefix = uniquePrefix();
  const direct = withWebhooks(redisStorage(connect(), { keyPrefix, deadlineMs: PATIENT_MS }));
  await direct.webhooks.create(newWebhook('wh_1'), LIMITS);
  await direct.deliveries.publish(newMessage('m1'));
  const proxy = await startTcpProxy(inject('redisUrl'));
  onTestFinished(() => proxy.stop());
  const late = withWebhooks(redisStorage(connect(proxy.url), { keyPrefix, deadlineMs: slowMs }));
  await retryUntilAvailable(() => late.deliveries.stats());

  // Each claim times out before its reply arrives. The late reply returns the attempt to the queue for the next claim.
  await proxy.delay(2 * slowMs);
  for (let i = 0; i < 3; i += 1) {
    const onUnsent = (unsent: readonly ClaimedAttempt[]) =>
      void direct.deliveries.complete(unsent.map(notStarted), COMPLETE);
    await expect(claimOnce(late.deliveries, { onUnsent })).rejects.toThrow(StorageUnavailableError);
    await expect
      .poll(async () => (await direct.deliveries.stats()).oldestDueAgeMs)
      .toBeGreaterThan(0);
  }
  const { attempts } = await claimOnce(direct.deliveries);
  expect(attempts).toMatchObject([{ deliveryId: 'm1', attempt: 1, failures: 0, notCounted: 0 }]);
});
