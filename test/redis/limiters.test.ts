import { redisStorage } from '@latchhook/redis';
import { describe, expect, it } from 'vitest';
import { connect, uniquePrefix } from './connect.ts';

describe('the limiters of redisStorage', () => {
  it('keep no counter for ever, whatever length they are given', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const { limiters } = redisStorage(redis, { keyPrefix });
    await limiters?.({ keyPrefix: 'none', duration: 0 }).penalty('a');
    await limiters?.({ keyPrefix: 'short', duration: 0.25 }).penalty('a');
    await limiters?.({ keyPrefix: 'block', duration: 60 }).block('a', 0.5);
    const keys = await redis.keys(`${keyPrefix}*`);
    expect(keys).toHaveLength(3);
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });

  it('share their counters between processes, and open one window only', async () => {
    const keyPrefix = uniquePrefix();
    const processes = [connect(), connect()].map((redis) => {
      const limiter = redisStorage(redis, { keyPrefix }).limiters;
      return limiter?.({ keyPrefix: 'failures', duration: 60 });
    });
    const states = await Promise.all(
      Array.from({ length: 25 }, () => processes.map((process) => process?.penalty('ada'))).flat(),
    );
    const counts = states.map((state) => state?.consumedPoints ?? 0).sort((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 50 }, (_, nth) => nth + 1));
    const [one] = processes;
    expect(await one?.get('ada')).toMatchObject({ consumedPoints: 50 });
    expect(await one?.get('grace')).toBeNull();
  });

  it('replace a window by a block of its own length', async () => {
    const { limiters } = redisStorage(connect(), { keyPrefix: uniquePrefix() });
    const limiter = limiters?.({ keyPrefix: 'locks', duration: 60 });
    await limiter?.penalty('ada');
    await limiter?.block('ada', 900);
    const state = await limiter?.get('ada');
    expect(state?.msBeforeNext).toBeGreaterThan(890_000);
    expect(await limiter?.delete('ada')).toBe(true);
    expect(await limiter?.delete('ada')).toBe(false);
    expect(await limiter?.get('ada')).toBeNull();
  });
});
