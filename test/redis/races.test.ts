import { redisStorage } from '@latchhook/redis';
import { describe, expect, inject, it } from 'vitest';
import { connect, connectCluster, uniquePrefix } from '../support/storage/connect-redis.ts';
import { AMPLE_LIMITS, newSession, presenting } from '../support/storage/login-samples.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

const servers = [
  { name: 'one Redis', isThere: true, connectOnce: () => connect() },
  {
    name: 'a Redis Cluster',
    isThere: inject('redisClusterNodes').length > 0,
    connectOnce: () => connectCluster(),
  },
];

describe.each(servers)('200 parallel rotations on $name', ({ isThere, connectOnce }) => {
  it.skipIf(!isThere)('have one winner over several connections', async () => {
    const keyPrefix = uniquePrefix();
    const stores = Array.from(
      { length: 5 },
      () => redisStorage(connectOnce(), { keyPrefix, deadlineMs: PATIENT_MS }).sessions,
    );
    await stores[0]?.create(newSession('s1'), AMPLE_LIMITS);

    const answers = await Promise.all(
      Array.from({ length: 40 }, () => stores.map((store) => store.rotate(presenting(1)))).flat(),
    );
    expect(answers.filter(({ outcome }) => outcome === 'rotated')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(199);
    const successors = answers.map((answer) => 'session' in answer && answer.session.generation);
    expect(new Set(successors)).toEqual(new Set([2]));
  });
});
