import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { type RedisConfig, type RedisServer, startRedisServer } from './redis-server.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function start(config: RedisConfig): Promise<{ server: RedisServer; redis: Redis }> {
  const server = await startRedisServer({ config });
  const redis = new Redis(server.url, { maxRetriesPerRequest: null });
  redis.on('error', () => {});
  stops.push(async () => {
    redis.disconnect();
    await server.stop();
  });
  return { server, redis };
}

describe('startRedisServer', () => {
  it('starts a server that loses everything at a restart by default', async () => {
    const { server, redis } = await start({});
    await redis.set('key', 'value');
    await server.restart();
    expect(await redis.get('key')).toBeNull();
  });

  it('starts a server that keeps its append-only file and port after a SIGKILL', async () => {
    const { server, redis } = await start({ appendonly: 'yes', appendfsync: 'always' });
    await redis.set('key', 'value');
    await server.kill9();
    await server.restart();
    expect(await redis.get('key')).toBe('value');
  });

  it('starts a server that does not respond while paused', async () => {
    const { server, redis } = await start({});
    await redis.ping();
    server.pause();
    const reply = redis.ping();
    expect(await Promise.race([reply, silence(50)])).toBe('silence');
    server.resume();
    expect(await reply).toBe('PONG');
  });

  it('rejects with the output of a server that does not start', async () => {
    await expect(startRedisServer({ config: { nonsense: 'yes' } })).rejects.toThrow('ended with 1');
  });
});

function silence(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, ms, 'silence'));
}
