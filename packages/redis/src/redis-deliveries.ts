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
import { watchChannels } from './watch-channel.ts';
import { dueChannel, type WebhookPartitions } from './webhook-keyspace.ts';

/**
 * How many calls of one account may publish at once, with how many deliveries in all: Redis serves nobody else while it
 * stores them.
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
  { call, partitions: { all, of }, newDeadline }: RedisDeliveriesDeps,
): DeliveryStore {
  const publishLimiter = new PublishLimiter(PUBLISHING);
  const roundRobin = new PartitionRoundRobin(all, (keys, request) => claim(call, keys, request));

  async function statsOfAll(): Promise<QueueStats> {
    const deadline = newDeadline();
    const each = await Promise.all(all.map((keys) => stats(call, keys, deadline)));
    return {
      pending: each.reduce((sum, { pending }) => sum + pending, 0),
      oldestDueAgeMs: Math.max(...each.map(({ oldestDueAgeMs }) => oldestDueAgeMs)),
    };
  }

  return {
    publish(message) {
      const deadline = newDeadline();
      const publishNow = () => publish(call, of(message), message, deadline);
      return publishLimiter.take(message.accountId, deadline, publishNow);
    },
    claim: (request) => roundRobin.claim(request),
    complete: (ends, limits) =>
      completeInGroups(ends, {
        groupOf: of,
        concurrency: all.length,
        completeGroup: (keys, group) => complete(call, keys, group, limits),
      }),
    redeliver: (ref) => redeliver(call, of(ref), ref),
    redeliverFailed: (ref, request) => redeliverFailed(call, of(ref), ref, request),
    list: (ref, page) => list(call, of(ref), ref, page, newDeadline()),
    stats: statsOfAll,
    subscribe: (onDue) =>
      watchChannels(redis, all.map(dueChannel), (channel) => {
        roundRobin.notify(channel);
        onDue();
      }),
  };
}
