import type { RedisClient } from './redis-client.ts';

/** The text of a script and its hash. */
export interface ScriptText {
  readonly source: string;
  readonly sha1: string;
}

/**
 * Runs a script by its hash: one round trip, without sending the text.
 *
 * If the server does not know the hash (after a restart, a failover or a flush), the text is sent. `defineCommand` of
 * ioredis does the same, but would add Latchhook's names to a client that belongs to the host.
 *
 * @param onUnknown - called if the server does not know the hash.
 */
export async function runScript(
  redis: RedisClient,
  script: ScriptText,
  keys: readonly string[],
  args: readonly (string | number)[],
  onUnknown: () => void = () => {},
): Promise<unknown> {
  try {
    return await redis.evalsha(script.sha1, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    onUnknown();
    return await redis.eval(script.source, keys.length, ...keys, ...args);
  }
}
