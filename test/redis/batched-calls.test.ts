import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import {
  LIMITS,
  newMessage,
  newWebhook,
  withWebhooks,
} from '../support/storage/webhook-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

/** A storage with a webhook of each account, and the script commands that it sends from now on. */
async function fixture(accountIds: readonly number[]) {
  const redis = connect();
  const keyPrefix = uniquePrefix();
  const clock = turnableClock();
  const storage = withWebhooks(redisStorage(redis, { keyPrefix, clock, deadlineMs: PATIENT_MS }));
  for (const accountId of accountIds) {
    await storage.webhooks.create(newWebhook('wh_1', { accountId }), LIMITS);
  }
  // Loads the script into the cache of the server: otherwise the first command would be sent twice.
  const [accountId = 0] = accountIds;
  await storage.deliveries.publish(newMessage('m0', { accountId }));
  const commands = vi.spyOn(redis, 'evalsha');
  const keyOf = (kind: string, id: number) => `${keyPrefix}:{webhooks}:${kind}:${id}/wh_1`;
  return { redis, clock, commands, keyOf, ...storage };
}

const from1To = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('messages published in parallel', () => {
  it('share one command that returns a result for each message', async () => {
    const { deliveries, commands } = await fixture([1, 2, 3]);
    const published = await Promise.all([
      ...from1To(3).map((id) => deliveries.publish(newMessage(`m${id}`, { accountId: id }))),
      deliveries.publish(newMessage('m4', { accountId: 1, webhookId: 'unknown' })),
    ]);
    expect(published.map((one) => 'messageId' in one && one.messageId)).toEqual([
      'm1',
      'm2',
      'm3',
      false,
    ]);
    expect(commands).toHaveBeenCalledTimes(1);
  });

  it('share a command in groups of sixteen', async () => {
    const ids = from1To(16);
    const { deliveries, commands } = await fixture(ids);
    await Promise.all(ids.map((accountId) => deliveries.publish(newMessage('m1', { accountId }))));
    expect(commands).toHaveBeenCalledTimes(1);
  });

  it('are spread over more commands if they also expire queued deliveries', async () => {
    const accounts = [2, 3, 4];
    const { deliveries, commands } = await fixture([1, ...accounts]);
    for (const accountId of accounts) {
      for (const id of from1To(12)) await deliveries.publish(newMessage(`m${id}`, { accountId }));
    }
    commands.mockClear();
    const newest = accounts.map((accountId) => newMessage('newest', { accountId, maxQueued: 1 }));
    await Promise.all(newest.map((message) => deliveries.publish(message)));
    expect(commands).toHaveBeenCalledTimes(2);
  });

  it('are spread over more commands if they make many deliveries', async () => {
    const { webhooks, deliveries, commands } = await fixture([1, 2, 3, 4]);
    for (const accountId of [2, 3]) {
      for (let i = 2; i <= 20; i += 1) {
        await webhooks.create(newWebhook(`wh_${i}`, { accountId }), LIMITS);
      }
    }
    commands.mockClear();
    const published = await Promise.all(
      [1, 2, 3, 4].map((accountId) => deliveries.publish(newMessage('m1', { accountId }))),
    );
    expect(published.map((one) => 'deliveries' in one && one.deliveries)).toEqual([1, 20, 20, 1]);
    // The first two messages make 21 deliveries; the second command has the remaining messages.
    expect(commands).toHaveBeenCalledTimes(3);
  });

  it('are stored although another message of their command fails', async () => {
    const { deliveries, redis, keyOf } = await fixture([1, 2, 3]);
    await redis.set(keyOf('fresh', 2), 'no list');
    const [first, broken, last] = await Promise.allSettled([
      deliveries.publish(newMessage('m1', { accountId: 1 })),
      deliveries.publish(newMessage('m2', { accountId: 2 })),
      deliveries.publish(newMessage('m3', { accountId: 3 })),
    ]);
    for (const one of [first, last]) expect(one).toMatchObject({ value: { outcome: 'published' } });
    expect(broken).toMatchObject({
      reason: { message: expect.stringMatching(/WRONGTYPE.* script: queue\/publish/) },
    });
    expect(await redis.llen(keyOf('fresh', 3))).toBe(1);
  });

  it('reject each with its own error if all of them fail', async () => {
    const { deliveries, redis, keyOf } = await fixture([1, 2]);
    await redis.set(keyOf('fresh', 1), 'no list');
    const idempotencyKey = 'k1';
    await redis.set(keyOf('idempotency', 2).replace('wh_1', idempotencyKey), 'no JSON');
    const publish = (accountId: number) =>
      deliveries.publish(newMessage('m1', { accountId, idempotencyKey }));
    const [first, second] = await Promise.allSettled([1, 2].map(publish));
    expect(first).toMatchObject({ reason: { message: expect.stringContaining('WRONGTYPE') } });
    expect(second).toMatchObject({
      reason: { message: expect.stringMatching(/ERR .*invalid token/) },
    });
  });

  it('reject with the error of the command if it holds one message', async () => {
    const { deliveries, redis, commands, keyOf } = await fixture([1]);
    await redis.set(keyOf('fresh', 1), 'no list');
    await Promise.allSettled([deliveries.publish(newMessage('m1', { accountId: 1 }))]);
    await expect(commands.mock.results[0]?.value).rejects.toThrow(/^WRONGTYPE/);
  });

  it('reject with READONLY after a single command on a replica', async () => {
    const server = await startRedisServer({ config: { replicaof: '127.0.0.1 1' } });
    onTestFinished(() => server.stop());
    const redis = connect(server.url);
    const { deliveries } = withWebhooks(redisStorage(redis, { deadlineMs: PATIENT_MS }));
    const publish = (accountId: number) =>
      deliveries.publish(newMessage('m1', { accountId, idempotencyKey: 'k' }));
    await expect(publish(1)).rejects.toThrow(/READONLY/);

    const commands = vi.spyOn(redis, 'evalsha');
    for (const one of await Promise.allSettled(from1To(3).map(publish))) {
      expect(one).toMatchObject({ reason: { message: expect.stringContaining('READONLY') } });
    }
    expect(commands).toHaveBeenCalledTimes(1);
    await expect(commands.mock.results[0]?.value).rejects.toThrow(/^READONLY/);

    // A command that writes nothing, and that a replica could execute.
    await Promise.allSettled([deliveries.publish(newMessage('m1')), publish(1)]);
    expect(commands).toHaveBeenCalledTimes(2);
    await expect(commands.mock.results[1]?.value).rejects.toThrow(/^READONLY/);
  });

  it('expire separately, so that only an expired one of three in a command is sent again', async () => {
    const ids = [11, 12, 13];
    const { deliveries, redis, commands } = await fixture(ids);
    const send = redis.evalsha.bind(redis);
    const sizes: number[] = [];
    commands.mockRestore();
    vi.spyOn(redis, 'evalsha').mockImplementation((sha1, keyCount, ...args) => {
      sizes.push(ids.filter((id) => args.includes(String(id))).length);
      // The arguments of a call begin with its deadline and its account. This deadline has passed since 1970.
      if (sizes.length === 1) args[args.indexOf('12') - 1] = 1;
      return send(sha1, keyCount, ...args);
    });
    const published = await Promise.all(
      ids.map((accountId) => deliveries.publish(newMessage('m1', { accountId }))),
    );
    // The call is repeated: if the expired command had taken effect, the result would be `duplicate`.
    expect(published.map(({ outcome }) => outcome)).toEqual(Array(3).fill('published'));
    expect(sizes).toEqual([3, 1]);
  });
});
