import type { SessionStore } from '@latchhook/core/storage';
import { redisStorage } from '@latchhook/redis';
import { describe, expect, it } from 'vitest';
import { connect, uniquePrefix } from '../support/storage/connect-redis.ts';
import { ADA, newSession } from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const HOUR_MS = 3_600_000;

/** Sessions in Redis with a cap of three, and the number of sessions with a TTL above an hour. */
function threeAtATime() {
  const redis = connect();
  const keyPrefix = uniquePrefix();
  const { sessions } = redisStorage(redis, { keyPrefix, deadlineMs: PATIENT_MS });
  return {
    sessions,
    async logIn(times: number): Promise<void> {
      for (let i = 0; i < times; i += 1) {
        await sessions.create(newSession(`s${i}`), { maxPerUser: 3 });
      }
    },
    async countKept(): Promise<{ readonly all: number; readonly long: number }> {
      const keys = await redis.keys(`${keyPrefix}:{*}:session:*`);
      const ttls = await Promise.all(keys.map((key) => redis.pttl(key)));
      return { all: keys.length, long: ttls.filter((ttl) => ttl > HOUR_MS).length };
    },
  };
}

describe('an ended session in Redis', () => {
  it('has a TTL of an hour at most if it was ended by the limit of sessions per user', async () => {
    const { logIn, countKept } = threeAtATime();
    await logIn(20);
    expect(await countKept()).toEqual({ all: 20, long: 3 });
  });

  it.each([
    [
      'by revoke()',
      (sessions: SessionStore) => sessions.revoke({ userId: ADA, sessionId: 's0' }),
      2,
    ],
    ['by revokeAll()', (sessions: SessionStore) => sessions.revokeAll(ADA), 0],
    [
      'by revokeOthers()',
      (sessions: SessionStore) => sessions.revokeOthers({ userId: ADA, sessionId: 's1' }),
      1,
    ],
    [
      'by revokeOthers() of an unknown session',
      (sessions: SessionStore) => sessions.revokeOthers({ userId: ADA, sessionId: 's9' }),
      0,
    ],
  ])('has a TTL of an hour at most if it was ended %s', async (_, end, kept) => {
    const { sessions, logIn, countKept } = threeAtATime();
    await logIn(3);
    await end(sessions);
    expect(await countKept()).toEqual({ all: 3, long: kept });
    expect(await sessions.list(ADA)).toHaveLength(kept);
  });
});
