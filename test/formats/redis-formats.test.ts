import { redisStorage } from '@latchhook/redis';
import { turnableClock } from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRedisServer } from '../support/servers/redis-server.ts';
import { connect } from '../support/storage/connect-redis.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { everyTransitionOf } from './every-transition-of.ts';
import { expectListed } from './expect-listed.ts';
import { watchKeys } from './key-forms.ts';

const INTRODUCTION = `
What is kept in Redis

Each kind of key with its type, and below it its fields or members with the forms of their values: \`<n>\` is a number,
other words in angle brackets are ids, \`{a, b}\` is JSON with these names, and \`|\` separates what was seen of a field. The
prefix is that of the option \`keyPrefix\`. A test writes this list, by \`-u\`, and compares it with what transitions leave in
a real Redis: see docs/guides/upgrading.md.
`;

describe('the keys in Redis', () => {
  it('match the recorded formats', async () => {
    // A separate server: the mark key is created only on a Redis without cached scripts.
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const redis = connect(server.url);
    const clock = turnableClock();
    const storage = redisStorage(redis, { keyPrefix: 'format', clock, deadlineMs: PATIENT_MS });
    const keys = watchKeys(redis, 'format');
    await everyTransitionOf(storage, clock, () => keys.look());
    await expect.poll(() => redis.exists('format:mark')).toBe(1);
    await keys.look();
    await expectListed('redis.txt', INTRODUCTION, keys.list());
  });
});
