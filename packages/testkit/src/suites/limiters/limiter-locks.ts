import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Limiter, LimiterOptions, LockRule, Storage } from '@latchhook/core/storage';
import { inParallel } from '../../actions/in-parallel.ts';
import { type Fixture, PROCESSES } from '../../fixtures/fixture.ts';
import { suiteOf } from '../../suite.ts';
import { assertJustBegun, counterOf, limiterOf } from './limiter-of.ts';

const FAILURES: LimiterOptions = { keyPrefix: 'failures', duration: 600 };
const LOCKS: LimiterOptions = { keyPrefix: 'locks', duration: 3600 };

/** Seconds in no order, so that a store which computes them instead is noticed. */
const RULE: LockRule = { keyPrefix: LOCKS.keyPrefix, every: 10, seconds: [60, 900, 300] };

export const limiterLocks = suiteOf<Fixture<Storage>>('limiters: locks', {
  'locks with every tenth point, even if others come without a lock rule': async ({ storage }) => {
    const { failures, locks } = limitersOf(storage);
    const lockingPoints: number[] = [];
    for (let i = 1; i <= 30; i += 1) {
      const isPlain = i % 4 === 1;
      const { consumedPoints, msBeforeNext } = isPlain
        ? await failures.penalty('ada')
        : await failures.penaltyWithLock('ada', RULE);
      assert.equal(consumedPoints, i);
      assert.ok(msBeforeNext > 0 && msBeforeNext <= FAILURES.duration * 1000);
      if (await locks.delete('ada')) lockingPoints.push(i);
    }
    assert.deepEqual(lockingPoints, [10, 20, 30]);
  },

  'locks only the same key, and only in the limiter of locks': async ({ storage }) => {
    const { failures, locks } = limitersOf(storage);
    for (let i = 0; i < 10; i += 1) await failures.penaltyWithLock('Ada', RULE);
    assert.equal(await counterOf(locks, 'ada'), null);
    assert.equal((await counterOf(locks, 'Ada'))?.consumedPoints, 1);
    assert.equal((await counterOf(failures, 'Ada'))?.consumedPoints, 10);
  },

  'locks for the seconds of the rule in order, then for the last': async ({ storage }) => {
    const { failures, locks } = limitersOf(storage);
    for (const seconds of [60, 900, 300, 300, 300]) {
      for (let i = 0; i < 10; i += 1) await failures.penaltyWithLock('ada', RULE);
      assertJustBegun(await counterOf(locks, 'ada'), seconds);
    }
  },

  'starts again with the first lock after delete(), but ends no lock': async ({ storage }) => {
    const { failures, locks } = limitersOf(storage);
    for (let i = 0; i < 20; i += 1) await failures.penaltyWithLock('ada', RULE);
    assert.equal(await failures.delete('ada'), true);
    assert.notEqual(await counterOf(locks, 'ada'), null);
    for (let i = 0; i < 10; i += 1) await failures.penaltyWithLock('ada', RULE);
    assertJustBegun(await counterOf(locks, 'ada'), 60);
  },

  'sets ten locks in order under 100 parallel points': async ({ storage, inParallel }) => {
    // From 660 seconds down to 120, so that a lock which is set out of order would last longer.
    const seconds = Array.from({ length: 9 }, (_, i) => 600 - 60 * i);
    const rule: LockRule = { ...RULE, seconds: [660, ...seconds] };
    const results = await inParallel(100, (connection) =>
      limitersOf(connection).failures.penaltyWithLock('ada', rule),
    );
    const counts = results.map(({ consumedPoints }) => consumedPoints).sort((a, b) => a - b);
    assert.deepEqual(
      counts,
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
    assertJustBegun(await counterOf(limitersOf(storage).locks, 'ada'), 120);
  },

  'shows no reader a point before the lock that the point sets': async ({ connections }) => {
    const rule: LockRule = { ...RULE, every: 1 };
    const processes = await connections(PROCESSES);
    await inParallel(80, processes, async (connection, i) => {
      const key = `user ${i}`;
      const reader = limitersOf(processes[(i + 1) % PROCESSES] ?? connection);
      const readTogether = async () => {
        const [count, lock] = await reader.failures.get(key, [LOCKS.keyPrefix]);
        if (count !== null) assert.notEqual(lock, null);
      };
      let isAdded = false;
      const readUntilAdded = async () => {
        while (!isAdded) {
          const isCounted = (await counterOf(reader.failures, key)) !== null;
          if (isCounted) assert.notEqual(await counterOf(reader.locks, key), null);
          await readTogether();
          await nextTurn();
        }
      };
      // One read begins before the point is added.
      const reading = readTogether();
      const adding = limitersOf(connection)
        .failures.penaltyWithLock(key, rule)
        .finally(() => {
          isAdded = true;
        });
      await Promise.all([reading, adding, readUntilAdded()]);
    });
  },
});

function limitersOf(storage: Storage): { readonly failures: Limiter; readonly locks: Limiter } {
  return { failures: limiterOf(storage, FAILURES), locks: limiterOf(storage, LOCKS) };
}
