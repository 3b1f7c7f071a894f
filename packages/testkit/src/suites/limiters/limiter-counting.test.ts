import { setImmediate as turn } from 'node:timers/promises';
import type { LimiterState } from '@latchhook/core/storage';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { limitersThat, soundLimiter, storageThat } from '../../self-test/faulty-storage.ts';
import { mangling } from '../../self-test/mangled-texts.ts';
import { limiterCounting } from './limiter-counting.ts';

expectLoginFaultsNoticed(limiterCounting, {
  'counts points in a window from the first point on': {
    'has no limiters': storageThat(({ name, sessions, challenges }) => ({
      name,
      sessions,
      challenges,
    })),
    'returns 1 for every point': limitersThat((limiter) => ({
      penalty: async (key) => ({ ...(await limiter.penalty(key)), consumedPoints: 1 }),
    })),
    'returns an empty window instead of null': limitersThat((limiter) => ({
      get: async (key) => (await limiter.get(key)) ?? { consumedPoints: 0, msBeforeNext: 0 },
    })),
  },
  'does not extend the window with further points': {
    'extends the window with each point': limitersThat((limiter, { duration }) => ({
      penalty: async (key) => ({
        ...(await limiter.penalty(key)),
        msBeforeNext: duration * 1000,
      }),
    })),
  },
  'resets the counter when the window ends': {
    'reads seconds as minutes': storageThat((storage) => ({
      ...storage,
      limiters: ({ keyPrefix, duration }) =>
        soundLimiter(storage, { keyPrefix, duration: duration * 60 }),
    })),
  },
  'counts each of 100 parallel points over all connections': {
    'reads and writes non-atomically': limitersThat((limiter) => {
      let counter: LimiterState = { consumedPoints: 0, msBeforeNext: 600_000 };
      return {
        penalty: async () => {
          const read = counter;
          await turn();
          counter = { ...read, consumedPoints: read.consumedPoints + 1 };
          return counter;
        },
        get: (key) => limiter.get(key),
      };
    }),
  },
  'opens a window of the given length on block(), longer or shorter than the last': {
    'does not block in an open window': limitersThat((limiter) => ({
      block: async (key, seconds) =>
        (await limiter.get(key)) === null ? limiter.block(key, seconds) : undefined,
    })),
    'shortens no window': limitersThat((limiter) => ({
      block: async (key, seconds) => {
        const left = (await limiter.get(key))?.msBeforeNext ?? 0;
        return left < seconds * 1000 ? limiter.block(key, seconds) : undefined;
      },
    })),
    'reads seconds as milliseconds': limitersThat((limiter) => ({
      block: (key, seconds) => limiter.block(key, seconds / 1000),
    })),
  },
  'resets the counter on delete(), and returns whether there was one': {
    'always returns true': limitersThat((limiter) => ({
      delete: async (key) => {
        await limiter.delete(key);
        return true;
      },
    })),
    'does not reset the counter': limitersThat((limiter) => ({
      delete: async (key) => (await limiter.get(key)) !== null,
    })),
  },
  'keeps prefixes apart even if prefix and key join to the same text': {
    'ignores the prefix': storageThat((storage) => ({
      ...storage,
      limiters: ({ duration }) => soundLimiter(storage, { duration, keyPrefix: '' }),
    })),
    ...joining(''),
    ...joining(':'),
    ...joining('_'),
  },
  'keeps similar keys apart': mangling((mangle) =>
    limitersThat((limiter) => ({ penalty: (key) => limiter.penalty(mangle(key)) })),
  ),
});

function joining(mark: string) {
  const joined = limitersThat((_, { duration, keyPrefix }, limiters) => {
    const all = limiters({ duration, keyPrefix: 'all' });
    const named = (key: string) => `${keyPrefix}${mark}${key}`;
    return {
      get: (key) => all.get(named(key)),
      penalty: (key) => all.penalty(named(key)),
      delete: (key) => all.delete(named(key)),
    };
  });
  return { [`joins prefix and key by '${mark}'`]: joined };
}
