import { redisStorage } from '@latchhook/redis';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENT_MS } from '../support/patience.ts';
import { type RedisConfig, startRedisServer } from '../support/redis-server.ts';
import { connect } from './connect.ts';
import { CAP, newSession } from './samples.ts';

const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
afterEach(() => emitWarning.mockClear());

async function useOnce(config: RedisConfig): Promise<void> {
  const server = await startRedisServer({ config });
  onTestFinished(() => server.stop());
  // The ready check of ioredis asks INFO too, and prints a warning of its own where that is forbidden.
  const redis = connect(server.url, { enableReadyCheck: false });
  const { sessions } = redisStorage(redis, { deadlineMs: PATIENT_MS });
  await sessions.create(newSession('s1'), CAP);
  await sessions.create(newSession('s2'), CAP);
  // In order on one connection: the question has been answered before.
  await redis.ping();
}

describe('the warning of redisStorage', () => {
  it('comes once where Redis may throw keys away', async () => {
    await useOnce({ 'maxmemory-policy': 'allkeys-lru' });
    await expect.poll(() => emitWarning.mock.calls.length).toBe(1);
    expect(emitWarning).toHaveBeenCalledWith(
      expect.stringContaining('allkeys-lru'),
      expect.objectContaining({ code: 'LATCHHOOK_REDIS_EVICTION' }),
    );
  });

  it('stays away where it may not', async () => {
    await useOnce({ 'maxmemory-policy': 'noeviction' });
    expect(emitWarning).not.toHaveBeenCalled();
  });

  it('stays away where the question is forbidden', async () => {
    await useOnce({ 'maxmemory-policy': 'allkeys-lru', user: 'default on nopass ~* +@all -info' });
    expect(emitWarning).not.toHaveBeenCalled();
  });
});
