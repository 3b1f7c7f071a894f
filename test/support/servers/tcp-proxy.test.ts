import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as elapsed } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

let server: RedisServer;
let proxy: TcpProxy;
let direct: Redis;
let proxied: Redis;

beforeAll(async () => {
  server = await startRedisServer();
  proxy = await startTcpProxy(server.url);
  direct = new Redis(server.url);
  proxied = connectThroughProxy();
  await proxied.ping();
});

afterEach(async () => {
  await proxy.pass();
  await direct.flushall();
  await untilAnswered();
});

afterAll(async () => {
  direct.disconnect();
  proxied.disconnect();
  await proxy.stop();
  await server.stop();
});

describe('startTcpProxy', () => {
  it('carries data of both directions unchanged', async () => {
    const value = 'x'.repeat(1_000_000);
    await proxied.set('key', value);
    expect(await proxied.get('key')).toBe(value);
  });

  it('withholds data as a black hole, and delivers it afterwards', async () => {
    await proxy.blackhole();
    const write = proxied.set('key', 'value');
    expect(await Promise.race([write, elapsed(50, 'silence')])).toBe('silence');
    expect(await direct.exists('key')).toBe(0);

    await proxy.pass();
    expect(await write).toBe('OK');
    expect(await direct.get('key')).toBe('value');
  });

  it('delays every reply by the given time, in order', async () => {
    await proxy.delay(60);
    const startedAtMs = performance.now();
    expect(await Promise.all([proxied.incr('n'), proxied.incr('n')])).toEqual([1, 2]);
    // Timers of Node.js may fire up to a millisecond early.
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(59);
  });

  it('delivers a delayed reply after both sides have ended', async () => {
    await proxy.delay(60);
    const client = connect(proxy.port, '127.0.0.1');
    client.end('QUIT\r\n');
    expect(await text(client)).toBe('+OK\r\n');
  });

  it('delivers a request whose reply it drops, and then breaks the connection', async () => {
    await proxy.dropReplies();
    const write = expect(proxied.incr('n')).rejects.toThrow();
    await expect.poll(() => direct.get('n')).toBe('1');
    // After this reply the proxy has received the reply to the write, and drops it in the next turn of the event loop.
    await direct.ping();
    await new Promise(setImmediate);
    await proxy.pass();
    await write;
  });

  it('resets open connections, and accepts new ones', async () => {
    const closed = new Promise((resolve) => proxied.once('close', resolve));
    proxy.reset();
    await closed;
    await untilAnswered();
  });

  it('rejects connections until pass(), on the same port', async () => {
    await proxy.reject();
    const client = connectThroughProxy();
    const [error] = await new Promise<unknown[]>((resolve) => {
      client.once('error', (...args: unknown[]) => resolve(args));
    });
    expect(error).toMatchObject({ code: 'ECONNREFUSED', port: proxy.port });

    await proxy.pass();
    await expect.poll(() => client.ping().catch(() => 'down')).toBe('PONG');
    client.disconnect();
  });
});

/** A client without retries, which would hide what happened to the first command. */
function connectThroughProxy(): Redis {
  const redis = new Redis(proxy.url, { maxRetriesPerRequest: 0, retryStrategy: () => 5 });
  redis.on('error', () => {});
  return redis;
}

async function untilAnswered(): Promise<void> {
  await expect.poll(() => proxied.ping().catch(() => 'down')).toBe('PONG');
}
