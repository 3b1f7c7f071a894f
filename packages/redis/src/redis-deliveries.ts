import { completeInGroups, type DeliveryStore, PublishLimiter } from '@latchhook/core/storage';
import { PartitionRoundRobin } from './partition-round-robin.ts';
import type { RedisClient } from './redis-client.ts';
import { claim } from './scripts/queue/claim.ts';
import { complete } from './scripts/queue/complete.ts';
import { list } from './scripts/queue/list.ts';
import { publish } from './scripts/queue/publish.ts';
import { redeliver } from './scripts/queue/redeliver.ts';
import { redeliverFailed } from './scripts/queue/redeliver-failed.ts';
import { stats } from './scripts/queue/stats.ts';
import type { StoreDeps } from './store-methods.ts';
import { watchChannels } from './watch-channels.ts';
import { dueChannel } from './webhook-keyspace.ts';

/**
 * How much one account may publish in parallel: 4 calls with any number of deliveries, or more calls with 256 in all.
 * While Redis stores deliveries, it serves no other client.
 */
const PUBLISHING = { server: 'Redis', calls: 4, deliveries: 256 };

/** Deliveries in Redis. Each method runs one script in the partition of the account, or one in each partition. */
export function redisDeliveries(redis: RedisClient, deps: StoreDeps): DeliveryStore {
  const { call, partitions, newDeadline } = deps;
  const { all, of: keysOf } = partitions;
  const publishLimiter = new PublishLimiter(PUBLISHING);
  const roundRobin = new PartitionRoundRobin(all, (keys, request) => claim(call, keys, request));

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
    redeliver: redeliver(deps),
    redeliverFailed: redeliverFailed(deps),
    list: list(deps),
    stats: stats(deps),
    subscribe: (onDue) =>
      watchChannels(redis, all.map(dueChannel), (channel) => {
        roundRobin.notify(channel);
        onDue();
      }),
  };
}
