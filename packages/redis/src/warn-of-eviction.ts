import type { RedisClient } from './redis-client.ts';

/**
 * Warns if Redis may evict keys when its memory is full: an evicted lock or revocation is as if it had never been.
 *
 * It asks INFO, which managed services allow even where they forbid CONFIG. Without INFO it does not warn.
 */
export async function warnOfEviction(redis: RedisClient): Promise<void> {
  const nodes = 'nodes' in redis ? redis.nodes('master') : [redis];
  const infos = await Promise.allSettled(nodes.map((node) => node.info('memory')));
  const policies = infos.map((info) =>
    info.status === 'fulfilled' ? /^maxmemory_policy:(\S+)/m.exec(info.value)?.[1] : undefined,
  );
  const policy = policies.find((found) => found !== undefined && found !== 'noeviction');
  if (policy === undefined) return;
  process.emitWarning(
    `Redis evicts keys when its memory is full (maxmemory-policy ${policy}): locks, used codes and ` +
      'revocations would be forgotten. Set maxmemory-policy to noeviction.',
    { type: 'LatchhookWarning', code: 'LATCHHOOK_REDIS_EVICTION' },
  );
}
