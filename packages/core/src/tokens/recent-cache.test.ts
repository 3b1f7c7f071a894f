import { describe, expect, it } from 'vitest';
import { RecentCache } from './recent-cache.ts';

const keys = Array.from({ length: 60 }, (_, index) => `key ${index}`);
const [hot = 'hot', ...others] = keys;

type Fill = (cache: RecentCache<string, number>) => void;

/**
 * The keys that a cache of size ten holds after `fill`. A look-up moves entries, so each key is looked up in a cache of
 * its own.
 */
function keysAfter(fill: Fill): readonly string[] {
  return keys.filter((key) => {
    const cache = new RecentCache<string, number>(10);
    fill(cache);
    return cache.get(key) !== undefined;
  });
}

describe('RecentCache', () => {
  it('never holds more entries than its size', () => {
    const keysHeld = keys.map((_, last) =>
      keysAfter((cache) => {
        for (const [index, key] of keys.slice(0, last + 1).entries()) cache.set(key, index);
      }),
    );
    expect(Math.max(...keysHeld.map(({ length }) => length))).toBe(10);
  });

  it('keeps within its size when entries move back to the younger generation', () => {
    for (const last of keys.keys()) {
      const keysHeld = keysAfter((cache) => {
        for (const [index, key] of keys.slice(0, last + 1).entries()) {
          cache.set(key, index);
          // Usually in the older generation, which then has five entries.
          cache.get(keys[Math.max(0, index - 7)] ?? key);
        }
      });
      expect(keysHeld.length).toBeLessThanOrEqual(10);
    }
  });

  it('keeps an entry that is read while fifty others are added', () => {
    const cache = new RecentCache<string, string>(10);
    cache.set(hot, 'in use');
    for (const key of others) {
      cache.set(key, 'seen once');
      expect(cache.get(hot)).toBe('in use');
    }
  });

  it('evicts an entry that is not read', () => {
    const cache = new RecentCache<string, string>(10);
    cache.set(hot, 'seen once');
    for (const key of others.slice(0, 10)) cache.set(key, 'newer');
    expect(cache.get(hot)).toBeUndefined();
  });

  it('deletes an entry of either generation', () => {
    const keysHeld = keysAfter((cache) => {
      for (const [index, key] of keys.slice(0, 9).entries()) cache.set(key, index);
      // Moves the entry from the older generation to the younger.
      cache.get(hot);
      for (const key of keys.slice(0, 9)) cache.delete(key);
    });
    expect(keysHeld).toEqual([]);
  });
});
