import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Limiter, LimiterOptions, LockRule, Storage } from '@latchhook/core/storage';
import { inParallel } from '../../actions/in-parallel.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import type { Suite } from '../../suite.ts';
import { limiterOf } from './limiter-of.ts';

const FAILURES: LimiterOptions = { keyPrefix: 'failures', duration: 600 };
const LOCKS: LimiterOptions = { keyPrefix: 'locks', duration: 3600 };

/** Lengths that no store would think of itself: what it locks for is the rule's. */
const RULE: LockRule = { keyPrefix: LOCKS.keyPrefix, every: 10, seconds: [60, 900, 300] };

export const limiterLocks: Suite<LoginFixture> = {
  name: 'limiters: locks',
  cases: {
    'locks with every tenth point of the window, including points added without a lock rule':
      async ({ storage }) => {
        const { failures, locks } = limitersOf(storage);
        const locked: number[] = [];
        for (let i = 1; i <= 30; i += 1) {
          const isPlain = i % 4 === 1;
          const { consumedPoints, msBeforeNext } = isPlain
            ? await failures.penalty('ada')
            : await failures.penaltyWithLock('ada', RULE);
          assert.equal(consumedPoints, i);
          assert.ok(msBeforeNext > 0 && msBeforeNext <= FAILURES.duration * 1000);
          if (await locks.delete('ada')) locked.push(i);
        }
        assert.deepEqual(locked, [10, 20, 30]);
      },

    'locks the same key of the other limiter only': async ({ storage }) => {
      const { failures, locks } = limitersOf(storage);
      for (let i = 0; i < 10; i += 1) await failures.penaltyWithLock('Ada', RULE);
      assert.equal(await locks.get('ada'), null);
      assert.equal((await locks.get('Ada'))?.consumedPoints, 1);
      assert.equal((await failures.get('Ada'))?.consumedPoints, 10);
    },

    'locks for the seconds of the rule in turn, and for its last from then on': async ({
      storage,
    }) => {
      const { failures, locks } = limitersOf(storage);
      for (const seconds of [60, 900, 300, 300, 300]) {
        for (let i = 0; i < 10; i += 1) await failures.penaltyWithLock('ada', RULE);
        const left = (await locks.get('ada'))?.msBeforeNext ?? 0;
        assert.ok(left > (seconds - 30) * 1000 && left <= seconds * 1000, `${left} ms`);
      }
    },

    'starts again with the first lock after the points were deleted, and keeps the current lock':
      async ({ storage }) => {
        const { failures, locks } = limitersOf(storage);
        for (let i = 0; i < 20; i += 1) await failures.penaltyWithLock('ada', RULE);
        assert.equal(await failures.delete('ada'), true);
        assert.notEqual(await locks.get('ada'), null);
        for (let i = 0; i < 10; i += 1) await failures.penaltyWithLock('ada', RULE);
        const left = (await locks.get('ada'))?.msBeforeNext ?? 0;
        assert.ok(left > 30_000 && left <= 60_000, `${left} ms`);
      },

    'sets ten locks in order under 100 parallel points over all connections': async ({
      storage,
      connections,
    }) => {
      const seconds = Array.from({ length: 9 }, (_, i) => 600 - 60 * i);
      const rule: LockRule = { ...RULE, seconds: [660, ...seconds] };
      const answers = await inParallel(100, await connections(8), (connection) =>
        limitersOf(connection).failures.penaltyWithLock('ada', rule),
      );
      const counts = answers.map(({ consumedPoints }) => consumedPoints).sort((a, b) => a - b);
      assert.deepEqual(
        counts,
        Array.from({ length: 100 }, (_, i) => i + 1),
      );
      const left = (await limitersOf(storage).locks.get('ada'))?.msBeforeNext ?? 0;
      assert.ok(left > 90_000 && left <= 120_000, `${left} ms`);
    },

    'shows no reader the point that sets a lock before the lock': async ({ connections }) => {
      const rule: LockRule = { ...RULE, every: 1 };
      const open = await connections(8);
      await inParallel(80, open, async (connection, i) => {
        const key = `user ${i}`;
        const reader = limitersOf(open[(i + 1) % open.length] ?? connection);
        let isAdded = false;
        const adding = limitersOf(connection)
          .failures.penaltyWithLock(key, rule)
          .finally(() => {
            isAdded = true;
          });
        while (!isAdded) {
          const isCounted = (await reader.failures.get(key)) !== null;
          if (isCounted) assert.notEqual(await reader.locks.get(key), null);
          await turn();
        }
        await adding;
      });
    },
  },
};

function limitersOf(storage: Storage): { readonly failures: Limiter; readonly locks: Limiter } {
  return { failures: limiterOf(storage, FAILURES), locks: limiterOf(storage, LOCKS) };
}
