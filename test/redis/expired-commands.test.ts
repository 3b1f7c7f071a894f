import { setTimeout as elapsed } from 'node:timers/promises';
import { StorageUnavailableError } from '@latchhook/core/storage';
import { redisStorage } from '@latchhook/redis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import {
  ADA,
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  newChallenge,
  newSession,
  rotateRequest,
} from '../support/storage/login-samples.ts';
import {
  expectSessionGoesOn,
  retryUntilAvailable,
} from '../support/storage/retry-until-available.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const deadlineMs = 100;
/** After the deadline and the slack of the guard, ms. */
const tooLateMs = 500;

async function startProxy(): Promise<TcpProxy> {
  const proxy = await startTcpProxy(inject('redisUrl'));
  onTestFinished(() => proxy.stop());
  return proxy;
}

describe('a command whose call timed out', () => {
  it('has no effect if the network delivers it late', async () => {
    const keyPrefix = uniquePrefix();
    const direct = redisStorage(connect(), { keyPrefix, deadlineMs: PATIENT_MS });
    const proxy = await startProxy();
    const proxied = connect(proxy.url);
    const { sessions, challenges } = redisStorage(proxied, { keyPrefix, deadlineMs });
    await direct.sessions.create(newSession('s1'), AMPLE_LIMITS);
    await direct.challenges.create(newChallenge('c1'));
    await retryUntilAvailable(() => sessions.list(ADA));

    // In two rounds: the server times in the replies of the first must not let the second pass.
    for (let round = 0; round < 2; round += 1) {
      await proxy.blackhole();
      const results = await Promise.allSettled([
        sessions.rotate(rotateRequest(1)),
        sessions.create(newSession('s2'), AMPLE_LIMITS),
        sessions.revoke(newSession('s1')),
        sessions.revokeAll(ADA),
        sessions.revokeOthers({ userId: ADA, sessionId: 's0' }),
        challenges.reserveAttempt(newChallenge('c1'), ATTEMPT_LIMITS),
      ]);
      for (const call of results) {
        expect(call).toMatchObject({ reason: expect.any(StorageUnavailableError) });
      }
      await elapsed(tooLateMs);
      await proxy.pass();
      // Commands of one connection run in order: after this reply all of the above have run.
      await proxied.ping();
    }

    expect(await direct.sessions.list(ADA)).toMatchObject([{ sessionId: 's1', generation: 1 }]);
    expect(
      await direct.challenges.reserveAttempt(newChallenge('c1'), ATTEMPT_LIMITS),
    ).toMatchObject({
      attemptsRemaining: ATTEMPT_LIMITS.perChallenge - 1,
    });
    await expectSessionGoesOn(sessions);
  });

  it('has no effect if it waited in the offline queue of the client', async () => {
    const keyPrefix = uniquePrefix();
    const direct = redisStorage(connect(), { keyPrefix, deadlineMs: PATIENT_MS });
    await direct.sessions.create(newSession('s1'), AMPLE_LIMITS);
    const proxy = await startProxy();
    await proxy.reject();
    const proxied = connect(proxy.url, { maxRetriesPerRequest: null });
    const { sessions } = redisStorage(proxied, { keyPrefix, deadlineMs });

    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(StorageUnavailableError);
    await elapsed(tooLateMs);
    await proxy.pass();
    await proxied.ping();
    expect(await direct.sessions.list(ADA)).toMatchObject([{ generation: 1 }]);
    await expectSessionGoesOn(sessions);
  });

  it('has no effect even if the storage has an injected clock', async () => {
    const keyPrefix = uniquePrefix();
    const clock = { nowMs: () => 1_000_000 };
    const direct = redisStorage(connect(), { keyPrefix, clock, deadlineMs: PATIENT_MS });
    const proxy = await startProxy();
    const proxied = connect(proxy.url);
    const { sessions } = redisStorage(proxied, { keyPrefix, clock, deadlineMs });
    await direct.sessions.create(newSession('s1'), AMPLE_LIMITS);
    await retryUntilAvailable(() => sessions.list(ADA));
    await proxy.blackhole();
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(StorageUnavailableError);
    await elapsed(tooLateMs);
    await proxy.pass();
    await proxied.ping();
    expect(await direct.sessions.list(ADA)).toMatchObject([{ generation: 1 }]);
  });

  it('takes effect if only the reply was lost, and a retry gets the same result', async () => {
    const keyPrefix = uniquePrefix();
    const proxy = await startProxy();
    const { sessions } = redisStorage(connect(proxy.url), { keyPrefix, deadlineMs });
    await redisStorage(connect(), { keyPrefix, deadlineMs: PATIENT_MS }).sessions.create(
      newSession('s1'),
      AMPLE_LIMITS,
    );
    await retryUntilAvailable(() => sessions.list(ADA));
    await proxy.dropReplies();
    await expect(sessions.rotate(rotateRequest(1))).rejects.toThrow(StorageUnavailableError);
    await proxy.pass();
    await expect
      .poll(() => sessions.rotate(rotateRequest(1)).catch(() => null))
      .toMatchObject({ outcome: 'replayed', session: { generation: 2 } });
  });
});
