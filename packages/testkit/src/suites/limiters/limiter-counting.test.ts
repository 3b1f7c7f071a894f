import { setImmediate as turn } from 'node:timers/promises';
import type { LimiterState } from '@latchhook/core/storage';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { limitersThat, soundLimiter, storageThat } from '../../self-test/faulty-storage.ts';
import { mangling } from '../../self-test/mangled-texts.ts';
import { limiterCounting } from './limiter-counting.ts';

expectLoginFaultsNoticed(limiterCounting, {
  'count points in a window that the first one opens': {
    'has no limiters': storageThat(({ name, sessions, challenges }) => ({
      name,
      sessions,
      challenges,
    })),
    'takes every point for the first': limitersThat((limiter) => ({
      penalty: async (key) => ({ ...(await limiter.penalty(key)), consumedPoints: 1 }),
    })),
    'takes no window for an empty one': limitersThat((limiter) => ({
      get: async (key) => (await limiter.get(key)) ?? { consumedPoints: 0, msBeforeNext: 0 },
    })),
  },
  'do not move the window with further points': {
    'slides it': limitersThat((limiter, { duration }) => ({
      penalty: async (key) => ({
        ...(await limiter.penalty(key)),
        msBeforeNext: duration * 1000,
      }),
    })),
  },
  'forget the counter when the window ends': {
    'takes the seconds for minutes': storageThat((storage) => ({
      ...storage,
      limiters: ({ keyPrefix, duration }) =>
        soundLimiter(storage, { keyPrefix, duration: duration * 60 }),
    })),
  },
  'add every one of 100 parallel points, over all connections': {
    'reads, then writes': limitersThat((limiter) => {
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
  'open a window of its own length for a block, longer or shorter': {
    'leaves a window that is open': limitersThat((limiter) => ({
      block: async (key, seconds) =>
        (await limiter.get(key)) === null ? limiter.block(key, seconds) : undefined,
    })),
    'shortens no window': limitersThat((limiter) => ({
      block: async (key, seconds) => {
        const left = (await limiter.get(key))?.msBeforeNext ?? 0;
        return left < seconds * 1000 ? limiter.block(key, seconds) : undefined;
      },
    })),
    'takes the seconds for milliseconds': limitersThat((limiter) => ({
      block: (key, seconds) => limiter.block(key, seconds / 1000),
    })),
  },
  'forget the counter on delete, and answer whether there was one': {
    'says yes always': limitersThat((limiter) => ({
      delete: async (key) => {
        await limiter.delete(key);
        return true;
      },
    })),
    'forgets nothing': limitersThat((limiter) => ({
      delete: async (key) => (await limiter.get(key)) !== null,
    })),
  },
  'keep prefixes apart, also where one text comes of prefix and key': {
    'knows no prefix': storageThat((storage) => ({
      ...storage,
      limiters: ({ duration }) => soundLimiter(storage, { duration, keyPrefix: '' }),
    })),
    ...joining(''),
    ...joining(':'),
    ...joining('_'),
  },
  'keep keys apart, whatever they are': mangling((mangle) =>
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
