import { redisStorage } from '@latchhook/redis';
import { describe, expect, inject, it } from 'vitest';
import { watchRedis } from '../support/servers/watch-redis.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

describe('the limiters of redisStorage', () => {
  it('set a TTL on counters of any duration', async () => {
    const redis = connect();
    const keyPrefix = uniquePrefix();
    const { limiters } = redisStorage(redis, { keyPrefix, deadlineMs: PATIENT_MS });
    const commandsSeen = await watchRedis(inject('redisUrl'));
    await limiters?.({ keyPrefix: 'none', duration: 0 }).penalty('a');
    await limiters?.({ keyPrefix: 'short', duration: 0.25 }).penalty('a');
    await limiters?.({ keyPrefix: 'block', duration: 60 }).block('a', 0.5);
    const rule = { keyPrefix: 'lock', every: 1, seconds: [0.5] } as const;
    await limiters?.({ keyPrefix: 'locking', duration: 0 }).penaltyWithLock('a', rule);
    const set = (await commandsSeen()).filter(
      ({ words: [name = '', key = ''] }) =>
        /^set$/i.test(name) && key.startsWith(keyPrefix) && key.endsWith(':{a}'),
    );
    expect(set.map(({ words }) => words.slice(3, 5))).toEqual(Array(5).fill(['EX', '1']));
  });

  it('share their counters and one window between processes', async () => {
    const keyPrefix = uniquePrefix();
    const processLimiters = [connect(), connect()].map((redis) => {
      const { limiters } = redisStorage(redis, { keyPrefix, deadlineMs: PATIENT_MS });
      return limiters?.({ keyPrefix: 'failures', duration: 60 });
    });
    const states = await Promise.all(
      Array.from({ length: 25 }, () =>
        processLimiters.map((limiter) => limiter?.penalty('ada')),
      ).flat(),
    );
    const counts = states.map((state) => state?.consumedPoints ?? 0).sort((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 50 }, (_, nth) => nth + 1));
    const [limiter] = processLimiters;
    expect(await limiter?.get('ada', [])).toMatchObject([{ consumedPoints: 50 }]);
    expect(await limiter?.get('grace', [])).toEqual([null]);
  });

  it('replace a window by a block with its own duration', async () => {
    const { limiters } = redisStorage(connect(), {
      keyPrefix: uniquePrefix(),
      deadlineMs: PATIENT_MS,
    });
    const limiter = limiters?.({ keyPrefix: 'locks', duration: 60 });
    await limiter?.penalty('ada');
    await limiter?.block('ada', 900);
    const [state] = (await limiter?.get('ada', [])) ?? [];
    expect(state?.msBeforeNext).toBeGreaterThan(890_000);
    expect(await limiter?.delete('ada')).toBe(true);
    expect(await limiter?.delete('ada')).toBe(false);
    expect(await limiter?.get('ada', [])).toEqual([null]);
  });
});
