import { setTimeout as elapsed } from 'node:timers/promises';
import { redisStorage } from '@latchhook/redis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { ADA, AMPLE_LIMITS, newChallenge, newSession } from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

/** Long, because logins on a busy machine would reach the default. */
const deadlineMs = PATIENT_MS;

// These tests use the real time of Redis: under a turnable clock no time passes while a command is pending.
describe('revokeAll() on Redis', () => {
  it('makes an earlier login stale even if its command arrives later', async () => {
    const keyPrefix = uniquePrefix();
    const direct = redisStorage(connect(), { keyPrefix, deadlineMs });
    const proxy = await startTcpProxy(inject('redisUrl'));
    onTestFinished(() => proxy.stop());
    const { sessions, challenges } = redisStorage(connect(proxy.url), { keyPrefix, deadlineMs });
    await sessions.list(ADA);

    await proxy.blackhole();
    // Their age is zero by their own clock.
    const logins = Promise.all([
      sessions.create(newSession('s1'), AMPLE_LIMITS),
      challenges.create(newChallenge('c1')),
    ]);
    await elapsed(20);
    await direct.sessions.revokeAll(ADA);
    await elapsed(100);
    await proxy.pass();

    expect(await logins).toEqual([{ outcome: 'stale_login' }, { outcome: 'stale_login' }]);
    expect(await direct.sessions.list(ADA)).toEqual([]);
  });

  it('does not affect a login that began shortly afterwards', async () => {
    const { sessions, challenges } = redisStorage(connect(), {
      keyPrefix: uniquePrefix(),
      deadlineMs,
    });
    await sessions.list(ADA);
    await sessions.revokeAll(ADA);
    await elapsed(100);
    const login = { loginAgeMs: 40 };
    expect(await sessions.create(newSession('s1', login), AMPLE_LIMITS)).toMatchObject({
      outcome: 'created',
      session: { sessionId: 's1' },
    });
    expect(await challenges.create({ ...newChallenge('c1'), ...login })).toEqual({
      outcome: 'created',
    });
    expect(await sessions.list(ADA)).toHaveLength(1);
  });

  it('does not affect a later login if replies are slow', async () => {
    const keyPrefix = uniquePrefix();
    const proxy = await startTcpProxy(inject('redisUrl'));
    onTestFinished(() => proxy.stop());
    const { sessions } = redisStorage(connect(proxy.url), { keyPrefix, deadlineMs });
    await sessions.list(ADA);
    await sessions.revokeAll(ADA);
    await elapsed(100);

    await proxy.delay(200);
    const login = sessions.create(newSession('s1', { loginAgeMs: 10 }), AMPLE_LIMITS);
    await elapsed(300);
    await proxy.pass();
    expect(await login).toMatchObject({ outcome: 'created' });
  });
});
