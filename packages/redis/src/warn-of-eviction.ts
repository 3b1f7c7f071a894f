import type { RedisClient } from './redis-client.ts';
import { evictionRisks, readServerSettings } from './server-settings.ts';

/**
 * Warns if Redis may evict keys when its memory is full: an evicted lock or revocation is lost. If INFO fails, there is
 * no warning.
 */
export async function warnOfEviction(redis: RedisClient): Promise<void> {
  const [risk] = (await readServerSettings(redis)).flatMap(evictionRisks);
  if (risk === undefined) return;
  process.emitWarning(`${risk}.`, { type: 'LatchhookWarning', code: 'LATCHHOOK_REDIS_EVICTION' });
}
