import { redisStorage } from '@latchhook/redis';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisConfig, startRedisServer } from '../support/servers/redis-server.ts';
import { connect } from '../support/storage/connect-redis.ts';
import { AMPLE_LIMITS, newSession } from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
afterEach(() => emitWarning.mockClear());
afterAll(() => emitWarning.mockRestore());

/** Only Latchhook's warnings: other code in this process may warn too. */
function warnings(): readonly string[] {
  return emitWarning.mock.calls.flatMap(([warning, options]: readonly unknown[]) =>
    isOfEviction(options) ? [String(warning)] : [],
  );
}

function isOfEviction(options: unknown): boolean {
  return (
    typeof options === 'object' &&
    options !== null &&
    'code' in options &&
    options.code === 'LATCHHOOK_REDIS_EVICTION'
  );
}

async function useOnce(config: RedisConfig): Promise<void> {
  const server = await startRedisServer({ config });
  onTestFinished(() => server.stop());
  // The ready check of ioredis sends INFO too, and prints its own warning if INFO is forbidden.
  const redis = connect(server.url, { enableReadyCheck: false });
  const { sessions } = redisStorage(redis, { deadlineMs: PATIENT_MS });
  await sessions.create(newSession('s1'), AMPLE_LIMITS);
  await sessions.create(newSession('s2'), AMPLE_LIMITS);
  // Replies on one connection come in order, so INFO's reply comes before this one.
  await redis.ping();
}

describe('the eviction warning of redisStorage', () => {
  it('is emitted once if Redis may evict keys', async () => {
    await useOnce({ 'maxmemory-policy': 'allkeys-lru' });
    await expect.poll(() => warnings().length).toBe(1);
    expect(warnings()).toEqual([expect.stringContaining('allkeys-lru')]);
  });

  it('is not emitted under noeviction', async () => {
    await useOnce({ 'maxmemory-policy': 'noeviction' });
    expect(warnings()).toEqual([]);
  });

  it('is not emitted if INFO is forbidden', async () => {
    await useOnce({ 'maxmemory-policy': 'allkeys-lru', user: 'default on nopass ~* +@all -info' });
    expect(warnings()).toEqual([]);
  });
});
