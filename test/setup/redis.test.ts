import { Cluster, Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';

const nodes = inject('redisClusterNodes');

describe('the Redis of the test run', () => {
  it('responds to PING', async () => {
    const redis = new Redis(inject('redisUrl'));
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
  });

  it.skipIf(nodes.length === 0)(
    'includes a real cluster, where scripts cannot cross slots',
    async () => {
      const cluster = new Cluster([...nodes]);
      expect(await cluster.eval('return #KEYS', 2, '{one}a', '{one}b')).toBe(2);
      await expect(cluster.eval('return #KEYS', 2, '{one}a', '{two}b')).rejects.toThrow(
        'CROSSSLOT',
      );
      cluster.disconnect();
    },
  );
});
