import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digestToken, VerifiedTokenCache } from './verified-token-cache.ts';

const digests = Array.from({ length: 1000 }, (_, index) => digestToken(`token ${index}`));
const [hot = digestToken('hot'), ...others] = digests;

describe('digestToken', () => {
  it('is SHA-256', () => {
    const expected = createHash('sha256').update('a.b.c').digest('binary');
    expect(digestToken('a.b.c')).toBe(expected);
  });
});

describe('VerifiedTokenCache', () => {
  it('never holds more than its size', () => {
    const cache = new VerifiedTokenCache<number>(100);
    const sizes = digests.map((digest, index) => {
      cache.set(digest, index);
      return cache.size;
    });
    expect(Math.max(...sizes)).toBe(100);
  });

  it('keeps the size when entries move back to the younger generation', () => {
    const cache = new VerifiedTokenCache<number>(10);
    for (const [index, digest] of digests.entries()) {
      cache.set(digest, index);
      cache.get(digests[Math.max(0, index - 7)] ?? digest);
      expect(cache.size).toBeLessThanOrEqual(10);
    }
  });

  it('keeps what is asked for, whatever else comes', () => {
    const cache = new VerifiedTokenCache<string>(10);
    cache.set(hot, 'in use');
    for (const digest of others) {
      cache.set(digest, 'seen once');
      expect(cache.get(hot)).toBe('in use');
    }
  });

  it('forgets what nobody asks for', () => {
    const cache = new VerifiedTokenCache<string>(10);
    cache.set(hot, 'seen once');
    for (const digest of others.slice(0, 10)) cache.set(digest, 'newer');
    expect(cache.get(hot)).toBeUndefined();
  });

  it('forgets an entry of either generation when told to', () => {
    const cache = new VerifiedTokenCache<number>(4);
    for (const [index, digest] of digests.slice(0, 3).entries()) cache.set(digest, index);
    for (const digest of digests.slice(0, 3)) {
      cache.delete(digest);
      expect(cache.get(digest)).toBeUndefined();
    }
    expect(cache.size).toBe(0);
  });
});
