import { randomUUID } from 'node:crypto';
import { redisStorage } from '@latchhook/redis';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisConfig, startRedisServer } from '../support/servers/redis-server.ts';
import { connect } from '../support/storage/connect-redis.ts';
import { AMPLE_LIMITS, newSession } from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
afterEach(() => emitWarning.mockClear());
afterAll(() => emitWarning.mockRestore());

function warningsOfLoss(): number {
  const isOfLoss = expect.objectContaining({ code: 'LATCHHOOK_REDIS_EMPTY' });
  return emitWarning.mock.calls.filter(([, options]: readonly unknown[]) =>
    isOfLoss.asymmetricMatch(options),
  ).length;
}

async function fixture(config: RedisConfig = {}) {
  const server = await startRedisServer({ config });
  onTestFinished(() => server.stop());
  const openProcess = () => {
    const redis = connect(server.url);
    const { sessions } = redisStorage(redis, { deadlineMs: PATIENT_MS });
    return {
      redis,
      async logIn() {
        await sessions.create(newSession(randomUUID()), AMPLE_LIMITS);
        // Replies on one connection come in order, so the reply to the check for losses comes before this one.
        await redis.ping();
      },
    };
  };
  return { server, openProcess };
}

describe('the data-loss warning of redisStorage', () => {
  it('is emitted once per loss by one of the processes', async () => {
    const { server, openProcess } = await fixture();
    const [one, other] = [openProcess(), openProcess()];
    await one.logIn();
    await other.logIn();
    expect(warningsOfLoss()).toBe(0);

    await server.restart();
    await Promise.all([one.logIn(), one.logIn()]);
    await other.logIn();
    await expect.poll(warningsOfLoss).toBe(1);

    await server.restart();
    await other.logIn();
    await expect.poll(warningsOfLoss).toBe(2);
  });

  it('is emitted within a minute of a FLUSHALL by one of the processes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { openProcess } = await fixture();
    const [one, other, third] = [openProcess(), openProcess(), openProcess()];
    await one.logIn();
    await other.logIn();
    await third.logIn();
    for (const losses of [1, 2]) {
      await one.redis.flushall();
      await one.logIn();
      expect(warningsOfLoss()).toBe(losses - 1);
      vi.advanceTimersByTime(60_000);
      await one.logIn();
      await other.logIn();
      await third.logIn();
      await expect.poll(warningsOfLoss).toBe(losses);
    }
    vi.advanceTimersByTime(60_000);
    await other.logIn();
    await one.logIn();
    expect(warningsOfLoss()).toBe(2);
  });

  it('is not emitted if Redis has kept its data', async () => {
    const { server, openProcess } = await fixture({ appendonly: 'yes', appendfsync: 'always' });
    const one = openProcess();
    await one.logIn();
    await server.restart();
    await one.logIn();
    expect(warningsOfLoss()).toBe(0);
  });

  it('is not emitted after SCRIPT FLUSH, nor in a new process', async () => {
    const { openProcess } = await fixture();
    const one = openProcess();
    await one.logIn();
    await one.redis.script('FLUSH');
    await one.logIn();
    await openProcess().logIn();
    expect(warningsOfLoss()).toBe(0);
  });

  it('is decided by a key in Redis that has a TTL of a year', async () => {
    const { openProcess } = await fixture();
    const one = openProcess();
    await one.logIn();
    await expect.poll(() => one.redis.ttl('latchhook:mark')).toBeGreaterThan(31_000_000);
  });
});
