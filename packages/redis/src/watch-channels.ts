import type { RedisClient } from './redis-client.ts';

/** The delay before a rejected subscription is retried, ms. */
const RETRY_MS = 1_000;

/**
 * Calls `onMessage` with the name of the channel for each message on one of the channels. It uses its own connection,
 * as a subscribed connection cannot run other commands. Messages are missed while that connection is down, so each time
 * it has subscribed, it calls `onMessage` for each channel. Never throws because its caller also polls.
 *
 * @returns a function that ends the subscription
 */
export function watchChannels(
  redis: RedisClient,
  channels: readonly string[],
  onMessage: (channel: string) => void,
): () => Promise<void> {
  // TypeScript cannot call a union of generic methods, so the type is narrowed before the same call.
  const subscriber = 'nodes' in redis ? redis.duplicate() : redis.duplicate();
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;

  // Runs for each new connection because the client itself restores only subscriptions that had succeeded.
  async function listen(): Promise<void> {
    clearTimeout(timer);
    try {
      await subscriber.subscribe(...channels);
    } catch {
      if (isEnded) return;
      timer = setTimeout(listen, RETRY_MS);
      timer.unref();
      return;
    }
    if (!isEnded) for (const channel of channels) onMessage(channel);
  }

  // A connection error needs no report here because the storage's calls then fail as well.
  subscriber.on('error', () => {});
  subscriber.on('message', onMessage);
  subscriber.on('ready', listen);
  if (subscriber.status === 'wait') subscriber.connect().catch(() => {});
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    subscriber.disconnect();
  };
}
