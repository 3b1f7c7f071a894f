import {
  type CallDeadline,
  completeInGroups,
  type DeliveryStore,
  PublishLimiter,
  type QueueStats,
} from '@latchhook/core/storage';
import { PartitionRoundRobin } from './partition-round-robin.ts';
import type { RedisClient } from './redis-client.ts';
import type { CallScript } from './script-caller.ts';
import { claim } from './scripts/queue/claim.ts';
import { complete } from './scripts/queue/complete.ts';
import { list } from './scripts/queue/list.ts';
import { publish } from './scripts/queue/publish.ts';
import { redeliver } from './scripts/queue/redeliver.ts';
import { redeliverFailed } from './scripts/queue/redeliver-failed.ts';
import { stats } from './scripts/queue/stats.ts';
import { watchChannels } from './watch-channels.ts';
import { dueChannel, type WebhookPartitions } from './webhook-keyspace.ts';

/**
 * At most 4 calls of one account publish together, or more if in all they store at most 256 deliveries, because Redis
 * serves no other client while it stores them.
 */
const PUBLISHING = { server: 'Redis', calls: 4, deliveries: 256 };

export interface RedisDeliveriesDeps {
  readonly call: CallScript;
  readonly partitions: WebhookPartitions;
  readonly newDeadline: () => CallDeadline;
}

/** Deliveries in Redis. Each method runs one script in the partition of the account, or one in each partition. */
export function redisDeliveries(
  redis: RedisClient,
  { call, partitions: { all, of: keysOf }, newDeadline }: RedisDeliveriesDeps,
): DeliveryStore {
  const publishLimiter = new PublishLimiter(PUBLISHING);
  const roundRobin = new PartitionRoundRobin(all, (keys, request) => claim(call, keys, request));

  async function statsOfAll(): Promise<QueueStats> {
    const deadline = newDeadline();
    const results = await Promise.all(all.map((keys) => stats(call, keys, deadline)));
    return {
      pending: results.reduce((sum, { pending }) => sum + pending, 0),
      oldestDueAgeMs: Math.max(...results.map(({ oldestDueAgeMs }) => oldestDueAgeMs)),
    };
  }

  return {
    publish(message) {
      const deadline = newDeadline();
      const publishNow = () => publish(call, keysOf(message), message, deadline);
      return publishLimiter.take(message.accountId, deadline, publishNow);
    },
    claim: (request) => roundRobin.claim(request),
    complete: (ends, limits) =>
      completeInGroups(ends, {
        groupOf: keysOf,
        concurrency: all.length,
        completeGroup: (keys, group) => complete(call, keys, group, limits),
      }),
    redeliver: (ref) => redeliver(call, keysOf(ref), ref),
    redeliverFailed: (ref, request) => redeliverFailed(call, keysOf(ref), ref, request),
    list: (ref, page) => list(call, keysOf(ref), ref, page, newDeadline()),
    stats: statsOfAll,
    subscribe: (onDue) =>
      watchChannels(redis, all.map(dueChannel), (channel) => {
        roundRobin.notify(channel);
        onDue();
      }),
  };
}
