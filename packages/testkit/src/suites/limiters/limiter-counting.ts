import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { LimiterOptions, Storage } from '@latchhook/core/storage';
import type { Fixture } from '../../fixtures/fixture.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { suiteOf } from '../../suite.ts';
import { assertJustBegun, counterOf, limiterOf } from './limiter-of.ts';

/** Limiters run in real time: a window of this length does not end during a test. */
const LONG: LimiterOptions = { keyPrefix: 'logins', duration: 600 };
/** A window of this length ends during a test. */
const SHORT: LimiterOptions = { keyPrefix: 'logins', duration: 1 };

export const limiterCounting = suiteOf<Fixture<Storage>>('limiters: counting', {
  'counts points in a window from the first point on': async ({ storage }) => {
    const limiter = limiterOf(storage, LONG);
    assert.equal(await counterOf(limiter, 'ada'), null);
    assert.equal((await limiter.penalty('ada')).consumedPoints, 1);
    assert.equal((await limiter.penalty('ada')).consumedPoints, 2);
    assert.equal((await limiter.penalty('ada')).consumedPoints, 3);
    assert.equal((await counterOf(limiter, 'ada'))?.consumedPoints, 3);
  },

  'does not extend the window with further points': async ({ storage }) => {
    const limiter = limiterOf(storage, LONG);
    const first = await limiter.penalty('ada');
    const remainingMs = first.msBeforeNext;
    assert.ok(remainingMs > 0 && remainingMs <= LONG.duration * 1000, `${remainingMs} ms`);
    await wait(20);
    const second = await limiter.penalty('ada');
    assert.ok(
      second.msBeforeNext < remainingMs,
      `${second.msBeforeNext} ms after ${remainingMs} ms`,
    );
  },

  'resets the counter when the window ends': async ({ storage }) => {
    const limiter = limiterOf(storage, SHORT);
    await limiter.penalty('ada');
    await wait(SHORT.duration * 1000 + 50);
    assert.equal(await counterOf(limiter, 'ada'), null);
    assert.equal((await limiter.penalty('ada')).consumedPoints, 1);
  },

  'counts each of 100 parallel points over all connections': async ({ inParallel }) => {
    const results = await inParallel(100, (storage) => limiterOf(storage, LONG).penalty('ada'));
    const counts = results.map(({ consumedPoints }) => consumedPoints).sort((a, b) => a - b);
    assert.deepEqual(
      counts,
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
  },

  'replaces an open window by a longer or shorter window on block()': async ({ storage }) => {
    const limiter = limiterOf(storage, LONG);
    await limiter.penalty('ada');
    for (const seconds of [3600, 60]) {
      await limiter.block('ada', seconds);
      assertJustBegun(await counterOf(limiter, 'ada'), seconds);
    }
    assertJustBegun(await limiter.penalty('ada'), 60);
  },

  'resets the counter on delete(), and returns whether there was one': async ({ storage }) => {
    const limiter = limiterOf(storage, LONG);
    await limiter.penalty('ada');
    assert.equal(await limiter.delete('ada'), true);
    assert.equal(await counterOf(limiter, 'ada'), null);
    assert.equal(await limiter.delete('ada'), false);
    assert.equal((await limiter.penalty('ada')).consumedPoints, 1);
  },

  'reads all counters of one key in the order of their prefixes': async ({ storage }) => {
    const limiter = limiterOf(storage, LONG);
    const other = limiterOf(storage, { ...LONG, keyPrefix: 'addresses' });
    for (const key of ['ada', 'grace', 'grace']) await limiter.penalty(key);
    await other.block('ada', 3600);
    for (let i = 0; i < 2; i += 1) await other.penalty('ada');
    const states = await limiter.get('ada', ['none', 'addresses', LONG.keyPrefix]);
    assert.deepEqual(
      states.map((state) => state?.consumedPoints),
      [1, undefined, 3, 1],
    );
    const remainingMs = states.map((state) => state?.msBeforeNext ?? 0);
    assert.ok(remainingMs[0] && remainingMs[0] <= LONG.duration * 1000, `${remainingMs} ms`);
    assert.ok(remainingMs[2] && remainingMs[2] > LONG.duration * 1000, `${remainingMs} ms`);
    assert.equal(states[1], null);
    assert.deepEqual(await limiter.get('nobody', []), [null]);
  },

  'keeps prefixes apart even if prefix and key join to the same text': async ({ storage }) => {
    const limiter = limiterOf(storage, LONG);
    const other = limiterOf(storage, { ...LONG, keyPrefix: 'addresses' });
    await limiter.penalty('ada');
    await other.penalty('ada');
    assert.equal((await limiter.penalty('ada')).consumedPoints, 2);
    assert.equal(await other.delete('ada'), true);
    assert.equal((await counterOf(limiter, 'ada'))?.consumedPoints, 2);
    for (const separator of ['', ':', '/', '-', '_']) {
      const [short, long] = ['a', `a${separator}b`].map((keyPrefix) =>
        limiterOf(storage, { ...LONG, keyPrefix }),
      );
      await short?.penalty(`b${separator}c`);
      assert.deepEqual(await long?.get('c', []), [null]);
    }
  },

  'keeps similar keys apart': async ({ storage }) => {
    const limiter = limiterOf(storage, LONG);
    for (const key of AWKWARD_TEXTS) {
      assert.equal((await limiter.penalty(key)).consumedPoints, 1, JSON.stringify(key));
    }
    for (const key of AWKWARD_TEXTS) {
      assert.equal((await counterOf(limiter, key))?.consumedPoints, 1, JSON.stringify(key));
    }
    for (const key of AWKWARD_TEXTS) assert.equal(await limiter.delete(key), true);
  },
});
