import { setImmediate as turn } from 'node:timers/promises';
import { type Limiter, type LockRule, lockSecondsAfter } from '@latchhook/core/storage';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { limitersThat } from '../../self-test/faulty-storage.ts';
import type { StorageHarness } from '../../storage-harness.ts';
import { limiterLocks } from './limiter-locks.ts';

interface Found {
  readonly key: string;
  readonly points: number;
  readonly rule: LockRule;
  readonly failures: Limiter;
  readonly locks: Limiter;
}

/** Counts as the reference does; what it then locks is the fault's. */
function lockingBy(lock: (found: Found) => Promise<unknown>): StorageHarness {
  return limitersThat((failures, _, limiters) => ({
    penaltyWithLock: async (key, rule) => {
      const state = await failures.penalty(key);
      const locks = limiters({ keyPrefix: rule.keyPrefix, duration: 60 });
      await lock({ key, points: state.consumedPoints, rule, failures, locks });
      return state;
    },
  }));
}

const isDue = ({ points, rule }: Found): boolean => points % rule.every === 0;

/** Locks at the right points, for a length of the fault's. */
function lockingFor(seconds: (found: Found) => number): StorageHarness {
  return lockingBy(async (found) =>
    isDue(found) ? found.locks.block(found.key, seconds(found)) : undefined,
  );
}

const rightSeconds = ({ points, rule }: Found): number => lockSecondsAfter(points, rule);

expectLoginFaultsNoticed(limiterLocks, {
  'locks with every tenth point of the window, including points added without a lock rule': {
    'locks with the tenth point only': lockingBy(async (found) =>
      found.points === found.rule.every ? found.locks.block(found.key, 60) : undefined,
    ),
    'locks with every point from the tenth on': lockingBy(async (found) =>
      found.points >= found.rule.every ? found.locks.block(found.key, 60) : undefined,
    ),
    'counts only points added with a lock rule': limitersThat((_limiter, options, limiters) => ({
      penaltyWithLock: (key, rule) =>
        limiters({ ...options, keyPrefix: 'apart' }).penaltyWithLock(key, rule),
    })),
  },
  'locks the same key of the other limiter only': {
    'folds letter case': lockingBy(async (found) =>
      isDue(found) ? found.locks.block(found.key.toLowerCase(), 60) : undefined,
    ),
    'blocks the counter too': lockingBy(async (found) => {
      if (!isDue(found)) return;
      await found.locks.block(found.key, 60);
      await found.failures.block(found.key, 60);
    }),
  },
  'locks for the seconds of the rule in turn, and for its last from then on': {
    'locks for the same time each time': lockingFor(({ rule }) => rule.seconds[0]),
    'doubles the first lock each time': lockingFor(
      ({ points, rule }) => rule.seconds[0] * 2 ** (points / rule.every - 1),
    ),
    'starts again with the first lock after the last': lockingFor(
      ({ points, rule }) => rule.seconds[(points / rule.every - 1) % rule.seconds.length] ?? 0,
    ),
    'shortens no lock': lockingBy(async (found) => {
      const left = (await found.locks.get(found.key))?.msBeforeNext ?? 0;
      const seconds = rightSeconds(found);
      if (isDue(found) && left < 1000 * seconds) await found.locks.block(found.key, seconds);
    }),
  },
  'starts again with the first lock after the points were deleted, and keeps the current lock': {
    'removes the lock': limitersThat((failures, _, limiters) => ({
      delete: async (key) => {
        await limiters({ keyPrefix: 'locks', duration: 60 }).delete(key);
        return failures.delete(key);
      },
    })),
    'counts locks apart from points': limitersThat((failures, _, limiters) => ({
      penaltyWithLock: async (key, rule) => {
        const set = limiters({ keyPrefix: 'locks set', duration: 600 });
        const { consumedPoints: ever } = await set.penalty(key);
        const state = await failures.penaltyWithLock(key, rule);
        const locks = limiters({ keyPrefix: rule.keyPrefix, duration: 60 });
        if (ever % rule.every === 0) await locks.block(key, lockSecondsAfter(ever, rule));
        return state;
      },
    })),
  },
  'sets ten locks in order under 100 parallel points over all connections': {
    'writes locks out of order': lockingBy(async (found) => {
      if (!isDue(found)) return;
      for (let waits = 100 - found.points; waits >= 0; waits -= 10) await turn();
      await found.locks.block(found.key, rightSeconds(found));
    }),
    'reads the counter before a separate increment': limitersThat((failures, _, limiters) => ({
      penaltyWithLock: async (key, rule) => {
        const before = (await failures.get(key))?.consumedPoints ?? 0;
        await turn();
        const state = await failures.penalty(key);
        const locks = limiters({ keyPrefix: rule.keyPrefix, duration: 60 });
        if ((before + 1) % rule.every === 0) await locks.block(key, 60);
        return state;
      },
    })),
  },
  'shows no reader the point that sets a lock before the lock': {
    'writes the lock after the point': lockingBy(async (found) => {
      await turn();
      await found.locks.block(found.key, rightSeconds(found));
    }),
    'sets no lock': lockingBy(async () => {}),
  },
});
