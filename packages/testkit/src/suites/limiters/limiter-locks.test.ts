import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Limiter, type LockRule, lockSecondsAfter } from '@latchhook/core/storage';
import { expectLimiterFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyLimiters } from '../../self-test/faulty-limiters.ts';
import type { StorageHarness } from '../../storage-harness.ts';
import { limiterLocks } from './limiter-locks.ts';
import { counterOf } from './limiter-of.ts';

interface CountedPoint {
  readonly key: string;
  readonly count: number;
  readonly rule: LockRule;
  readonly failures: Limiter;
  readonly locks: Limiter;
}

/** Counts a point as the reference does, then calls `lock`. */
function faultyLocks(lock: (point: CountedPoint) => Promise<unknown>): StorageHarness {
  return faultyLimiters((failures, _, limiters) => ({
    penaltyWithLock: async (key, rule) => {
      const state = await failures.penalty(key);
      const locks = limiters({ keyPrefix: rule.keyPrefix, duration: 60 });
      await lock({ key, count: state.consumedPoints, rule, failures, locks });
      return state;
    },
  }));
}

const isDue = ({ count, rule }: CountedPoint): boolean => count % rule.every === 0;

/** Locks with the right points, but for other seconds. */
function faultyLockSeconds(seconds: (point: CountedPoint) => number): StorageHarness {
  return faultyLocks(async (point) =>
    isDue(point) ? point.locks.block(point.key, seconds(point)) : undefined,
  );
}

const rightSeconds = ({ count, rule }: CountedPoint): number => lockSecondsAfter(count, rule);

expectLimiterFaultsNoticed(limiterLocks, {
  'locks with every tenth point, even if others come without a lock rule': {
    'locks with the tenth point only': faultyLocks(async (point) =>
      point.count === point.rule.every ? point.locks.block(point.key, 60) : undefined,
    ),
    'locks with every point from the tenth on': faultyLocks(async (point) =>
      point.count >= point.rule.every ? point.locks.block(point.key, 60) : undefined,
    ),
    'counts only points added with a lock rule': faultyLimiters((_limiter, options, limiters) => ({
      penaltyWithLock: (key, rule) =>
        limiters({ ...options, keyPrefix: 'apart' }).penaltyWithLock(key, rule),
    })),
  },
  'locks only the same key, and only in the limiter of locks': {
    'folds letter case': faultyLocks(async (point) =>
      isDue(point) ? point.locks.block(point.key.toLowerCase(), 60) : undefined,
    ),
    'blocks the counter too': faultyLocks(async (point) => {
      if (!isDue(point)) return;
      await point.locks.block(point.key, 60);
      await point.failures.block(point.key, 60);
    }),
  },
  'locks for the seconds of the rule in order, then for the last': {
    'locks for the same time each time': faultyLockSeconds(({ rule }) => rule.seconds[0]),
    'doubles the first lock each time': faultyLockSeconds(
      ({ count, rule }) => rule.seconds[0] * 2 ** (count / rule.every - 1),
    ),
    'starts again with the first lock after the last': faultyLockSeconds(
      ({ count, rule }) => rule.seconds[(count / rule.every - 1) % rule.seconds.length] ?? 0,
    ),
    'shortens no lock': faultyLocks(async (point) => {
      const remainingMs = (await counterOf(point.locks, point.key))?.msBeforeNext ?? 0;
      const seconds = rightSeconds(point);
      if (isDue(point) && remainingMs < 1000 * seconds) await point.locks.block(point.key, seconds);
    }),
  },
  'starts again with the first lock after delete(), but ends no lock': {
    'removes the lock': faultyLimiters((failures, _, limiters) => ({
      delete: async (key) => {
        await limiters({ keyPrefix: 'locks', duration: 60 }).delete(key);
        return failures.delete(key);
      },
    })),
    'keeps counting towards the next lock after delete()': faultyLimiters(
      (failures, _, limiters) => ({
        penaltyWithLock: async (key, rule) => {
          const everCounted = limiters({ keyPrefix: 'ever counted', duration: 600 });
          const { consumedPoints: count } = await everCounted.penalty(key);
          const state = await failures.penaltyWithLock(key, rule);
          const locks = limiters({ keyPrefix: rule.keyPrefix, duration: 60 });
          if (count % rule.every === 0) await locks.block(key, lockSecondsAfter(count, rule));
          return state;
        },
      }),
    ),
  },
  'sets ten locks in order under 100 parallel points': {
    'writes locks out of order': faultyLocks(async (point) => {
      if (!isDue(point)) return;
      // The earlier a lock is due, the later it is written.
      for (let waits = 100 - point.count; waits >= 0; waits -= 10) await nextTurn();
      await point.locks.block(point.key, rightSeconds(point));
    }),
    'reads the counter before a separate increment': faultyLimiters((failures, _, limiters) => ({
      penaltyWithLock: async (key, rule) => {
        const before = (await counterOf(failures, key))?.consumedPoints ?? 0;
        await nextTurn();
        const state = await failures.penalty(key);
        const locks = limiters({ keyPrefix: rule.keyPrefix, duration: 60 });
        if ((before + 1) % rule.every === 0) await locks.block(key, 60);
        return state;
      },
    })),
  },
  'shows no reader a point before the lock that the point sets': {
    'writes the lock after the point': faultyLocks(async (point) => {
      await nextTurn();
      await point.locks.block(point.key, rightSeconds(point));
    }),
    'sets no lock': faultyLocks(async () => {}),
    'reads the lock before the point': faultyLimiters((failures, _, limiters) => ({
      get: async (key, keyPrefixes) => {
        const others = keyPrefixes.map((keyPrefix) =>
          counterOf(limiters({ keyPrefix, duration: 60 }), key),
        );
        const states = await Promise.all(others);
        await nextTurn();
        return [await counterOf(failures, key), ...states];
      },
    })),
  },
});
