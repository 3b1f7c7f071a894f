import { type CallDeadline, type ClaimStore, PublishTurns } from '@latchhook/core/storage';
import type { RedisClient } from './redis-client.ts';
import type { CallScript } from './script-caller.ts';
import { claim } from './scripts/queue/claim.ts';
import { complete } from './scripts/queue/complete.ts';
import { list } from './scripts/queue/list.ts';
import { publish } from './scripts/queue/publish.ts';
import { redeliver } from './scripts/queue/redeliver.ts';
import { redeliverFailed } from './scripts/queue/redeliver-failed.ts';
import { stats } from './scripts/queue/stats.ts';
import { watchChannel } from './watch-channel.ts';
import type { WebhookKeys } from './webhook-keyspace.ts';

/** Of one account, at once: the calls of all others wait for up to 5 ms while Redis makes so many deliveries. */
const PUBLISHING = { server: 'Redis', calls: 4, deliveries: 256 };

export interface RedisQueueDeps {
  readonly call: CallScript;
  readonly keys: WebhookKeys;
  readonly newDeadline: () => CallDeadline;
}

/** Deliveries in Redis: each method is one script. */
export function redisQueue(
  redis: RedisClient,
  { call, keys, newDeadline }: RedisQueueDeps,
): ClaimStore {
  const turns = new PublishTurns(PUBLISHING);
  const channel = `${keys.root}:due`;
  return {
    publish(message) {
      const deadline = newDeadline();
      const options = { deadline, channel };
      return turns.take(message.accountId, deadline, () => publish(call, keys, message, options));
    },
    claim: (request) => claim(call, keys, request),
    complete: (ends, limits) => complete(call, keys, ends, { ...limits, channel }),
    redeliver: (ref) => redeliver(call, keys, ref, channel),
    redeliverFailed: (ref, request) => redeliverFailed(call, keys, ref, { ...request, channel }),
    list: (ref, page) => list(call, keys, ref, page, newDeadline()),
    stats: () => stats(call, keys, newDeadline()),
    subscribe: (onDue) => watchChannel(redis, channel, onDue),
  };
}
