import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LimiterState } from '@latchhook/core/storage';
import { expectLimiterFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyLimiters } from '../../self-test/faulty-limiters.ts';
import { faultyStorage } from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { textFaults } from '../../self-test/text-faults.ts';
import { limiterCounting } from './limiter-counting.ts';
import { counterOf } from './limiter-of.ts';

expectLimiterFaultsNoticed(limiterCounting, {
  'counts points in a window from the first point on': {
    'has no limiters': nonAtomic,
    'returns 1 for every point': faultyLimiters((limiter) => ({
      penalty: async (key) => ({ ...(await limiter.penalty(key)), consumedPoints: 1 }),
    })),
    'returns an empty window instead of null': faultyLimiters((limiter) => ({
      get: async (...counters) =>
        (await limiter.get(...counters)).map(
          (state) => state ?? { consumedPoints: 0, msBeforeNext: 0 },
        ),
    })),
  },
  'does not extend the window with further points': {
    'extends the window with each point': faultyLimiters((limiter, { duration }) => ({
      penalty: async (key) => ({ ...(await limiter.penalty(key)), msBeforeNext: duration * 1000 }),
    })),
  },
  'resets the counter when the window ends': {
    'reads seconds as minutes': faultyStorage(({ limiters }) => ({
      limiters: ({ keyPrefix, duration }) => limiters({ keyPrefix, duration: duration * 60 }),
    })),
  },
  'counts each of 100 parallel points over all connections': {
    'reads and writes non-atomically': faultyLimiters(() => {
      let counter: LimiterState = { consumedPoints: 0, msBeforeNext: 600_000 };
      return {
        penalty: async () => {
          const before = counter;
          await nextTurn();
          counter = { ...before, consumedPoints: before.consumedPoints + 1 };
          return counter;
        },
      };
    }),
  },
  'replaces an open window by a longer or shorter window on block()': {
    'does not block in an open window': faultyLimiters((limiter) => ({
      block: async (key, seconds) =>
        (await counterOf(limiter, key)) === null ? limiter.block(key, seconds) : undefined,
    })),
    'shortens no window': faultyLimiters((limiter) => ({
      block: async (key, seconds) => {
        const remainingMs = (await counterOf(limiter, key))?.msBeforeNext ?? 0;
        return remainingMs < seconds * 1000 ? limiter.block(key, seconds) : undefined;
      },
    })),
    'reads seconds as milliseconds': faultyLimiters((limiter) => ({
      block: (key, seconds) => limiter.block(key, seconds / 1000),
    })),
  },
  'resets the counter on delete(), and returns whether there was one': {
    'always returns true': faultyLimiters((limiter) => ({
      delete: async (key) => {
        await limiter.delete(key);
        return true;
      },
    })),
    'does not reset the counter': faultyLimiters((limiter) => ({
      delete: async (key) => (await counterOf(limiter, key)) !== null,
    })),
  },
  'reads all counters of one key in the order of their prefixes': {
    'reads only its own counter': faultyLimiters((limiter) => ({
      get: (key) => limiter.get(key, []),
    })),
    'omits counters without a window': faultyLimiters((limiter) => ({
      get: async (key, keyPrefixes) => {
        const states = await limiter.get(key, keyPrefixes);
        return states.filter((state) => state !== null);
      },
    })),
    'sorts the prefixes': faultyLimiters((limiter) => ({
      get: (key, keyPrefixes) => limiter.get(key, keyPrefixes.toSorted()),
    })),
    'reads a repeated prefix only once': faultyLimiters((limiter, { keyPrefix }) => ({
      get: (key, keyPrefixes) =>
        limiter.get(
          key,
          keyPrefixes.filter((prefix) => prefix !== keyPrefix),
        ),
    })),
  },
  'keeps prefixes apart even if prefix and key join to the same text': {
    'ignores the prefix': faultyStorage(({ limiters }) => ({
      limiters: ({ duration }) => limiters({ duration, keyPrefix: '' }),
    })),
    ...joinPrefixAndKey(''),
    ...joinPrefixAndKey(':'),
    ...joinPrefixAndKey('_'),
  },
  'keeps similar keys apart': textFaults((mangle) =>
    faultyLimiters((limiter) => ({ penalty: (key) => limiter.penalty(mangle(key)) })),
  ),
});

function joinPrefixAndKey(separator: string) {
  const joined = faultyLimiters((_, { duration, keyPrefix }, limiters) => {
    const shared = limiters({ duration, keyPrefix: 'all' });
    const joinedKey = (key: string) => `${keyPrefix}${separator}${key}`;
    return {
      get: (key) => shared.get(joinedKey(key), []),
      penalty: (key) => shared.penalty(joinedKey(key)),
      delete: (key) => shared.delete(joinedKey(key)),
    };
  });
  return { [`joins prefix and key by '${separator}'`]: joined };
}
