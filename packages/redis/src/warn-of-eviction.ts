import type { RedisClient } from './redis-client.ts';
import { readServerSettings } from './server-settings.ts';

/**
 * Warns if Redis may evict keys when its memory is full because an evicted lock or revocation is lost. If INFO fails,
 * there is no warning.
 */
export async function warnOfEviction(redis: RedisClient): Promise<void> {
  const policies = (await readServerSettings(redis)).map(({ maxmemoryPolicy }) => maxmemoryPolicy);
  const policy = policies.find((name) => name !== undefined && name !== 'noeviction');
  if (policy === undefined) return;
  process.emitWarning(
    `Redis evicts keys when its memory is full (maxmemory-policy ${policy}): locks, used codes and ` +
      'revocations would be forgotten. Set maxmemory-policy to noeviction.',
    { type: 'LatchhookWarning', code: 'LATCHHOOK_REDIS_EVICTION' },
  );
}
