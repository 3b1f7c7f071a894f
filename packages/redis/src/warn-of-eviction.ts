import type { RedisClient } from './redis-client.ts';

/**
 * Warns, once the answer is in, where Redis may throw keys away when its memory is full: a lock or a
 * revocation that is thrown away has not happened.
 *
 * INFO tells it too, and is allowed where managed services forbid CONFIG. Where it is forbidden as well,
 * nothing is said.
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
