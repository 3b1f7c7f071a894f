import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { LimiterOptions } from '@latchhook/core/storage';
import { inParallel } from '../../actions/in-parallel.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import type { Suite } from '../../suite.ts';
import { limiterOf } from './limiter-of.ts';

/** Limiters run on their own clock: one window is too long to end during a test, the other ends soon. */
const LONG: LimiterOptions = { keyPrefix: 'logins', duration: 600 };
const SHORT: LimiterOptions = { keyPrefix: 'logins', duration: 1 };

export const limiterCounting: Suite<LoginFixture> = {
  name: 'limiters: counting',
  cases: {
    'counts points in a window from the first point on': async ({ storage }) => {
      const limiter = limiterOf(storage, LONG);
      assert.equal(await limiter.get('ada'), null);
      assert.equal((await limiter.penalty('ada')).consumedPoints, 1);
      assert.equal((await limiter.penalty('ada')).consumedPoints, 2);
      assert.equal((await limiter.penalty('ada')).consumedPoints, 3);
      assert.equal((await limiter.get('ada'))?.consumedPoints, 3);
    },

    'does not extend the window with further points': async ({ storage }) => {
      const limiter = limiterOf(storage, LONG);
      const first = await limiter.penalty('ada');
      const left = first.msBeforeNext;
      assert.ok(left > 0 && left <= LONG.duration * 1000, `${left} ms`);
      await wait(20);
      const second = await limiter.penalty('ada');
      assert.ok(second.msBeforeNext < left, `${second.msBeforeNext} ms after ${left} ms`);
    },

    'resets the counter when the window ends': async ({ storage }) => {
      const limiter = limiterOf(storage, SHORT);
      await limiter.penalty('ada');
      await wait(SHORT.duration * 1000 + 50);
      assert.equal(await limiter.get('ada'), null);
      assert.equal((await limiter.penalty('ada')).consumedPoints, 1);
    },

    'counts each of 100 parallel points over all connections': async ({ connections }) => {
      const answers = await inParallel(100, await connections(8), (storage) =>
        limiterOf(storage, LONG).penalty('ada'),
      );
      const counts = answers.map(({ consumedPoints }) => consumedPoints).sort((a, b) => a - b);
      assert.deepEqual(
        counts,
        Array.from({ length: 100 }, (_, i) => i + 1),
      );
    },

    'opens a window of the given length on block(), longer or shorter than the last': async ({
      storage,
    }) => {
      const limiter = limiterOf(storage, LONG);
      await limiter.penalty('ada');
      for (const seconds of [3600, 60]) {
        await limiter.block('ada', seconds);
        const left = (await limiter.get('ada'))?.msBeforeNext ?? 0;
        assert.ok(left > (seconds - 30) * 1000 && left <= seconds * 1000, `${left} ms`);
      }
      const left = (await limiter.penalty('ada')).msBeforeNext;
      assert.ok(left <= 60_000, `${left} ms`);
    },

    'resets the counter on delete(), and returns whether there was one': async ({ storage }) => {
      const limiter = limiterOf(storage, LONG);
      await limiter.penalty('ada');
      assert.equal(await limiter.delete('ada'), true);
      assert.equal(await limiter.get('ada'), null);
      assert.equal(await limiter.delete('ada'), false);
      assert.equal((await limiter.penalty('ada')).consumedPoints, 1);
    },

    'keeps prefixes apart even if prefix and key join to the same text': async ({ storage }) => {
      const limiter = limiterOf(storage, LONG);
      const other = limiterOf(storage, { ...LONG, keyPrefix: 'addresses' });
      await limiter.penalty('ada');
      await other.penalty('ada');
      assert.equal((await limiter.penalty('ada')).consumedPoints, 2);
      assert.equal(await other.delete('ada'), true);
      assert.equal((await limiter.get('ada'))?.consumedPoints, 2);
      for (const mark of ['', ':', '/', '-', '_']) {
        const [short, long] = ['a', `a${mark}b`].map((keyPrefix) =>
          limiterOf(storage, { ...LONG, keyPrefix }),
        );
        await short?.penalty(`b${mark}c`);
        assert.equal(await long?.get('c'), null);
      }
    },

    'keeps similar keys apart': async ({ storage }) => {
      const limiter = limiterOf(storage, LONG);
      for (const key of AWKWARD_TEXTS) {
        assert.equal((await limiter.penalty(key)).consumedPoints, 1, JSON.stringify(key));
      }
      for (const key of AWKWARD_TEXTS) assert.equal(await limiter.delete(key), true);
    },
  },
};
