import type { RedisClient } from './redis-client.ts';

/** The wait after a subscription was rejected, ms. */
const PAUSE_MS = 1_000;

/**
 * Calls back with the name of the channel for each message on one of these, over its own connection: one that
 * subscribes cannot do anything else. While that is down messages are missed, so it calls back for each channel
 * whenever it begins to listen. Never throws: its caller polls besides.
 *
 * @returns a function that ends it
 */
export function watchChannels(
  redis: RedisClient,
  channels: readonly string[],
  onMessage: (channel: string) => void,
): () => Promise<void> {
  const subscriber = 'nodes' in redis ? redis.duplicate() : redis.duplicate();
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;

  // By each connection anew: a client by itself resumes only what it had subscribed to before.
  async function listen(): Promise<void> {
    clearTimeout(timer);
    try {
      await subscriber.subscribe(...channels);
    } catch {
      if (isEnded) return;
      timer = setTimeout(listen, PAUSE_MS);
      timer.unref();
      return;
    }
    if (!isEnded) for (const channel of channels) onMessage(channel);
  }

  // That the server is down shows in the calls to it.
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
