import type { RedisClient } from './redis-client.ts';

/**
 * Calls back for each message on a channel, over a connection of its own: one that subscribes cannot do anything else.
 * While that is down, messages are missed.
 *
 * @returns a function that ends it
 */
export function watchChannel(
  redis: RedisClient,
  channel: string,
  onMessage: () => void,
): () => Promise<void> {
  const subscriber = 'nodes' in redis ? redis.duplicate() : redis.duplicate();
  // Whoever has calls to make of the server learns that it is down from them.
  subscriber.on('error', () => {});
  subscriber.on('message', onMessage);
  subscriber.subscribe(channel).catch(() => {});
  return async () => subscriber.disconnect();
}
