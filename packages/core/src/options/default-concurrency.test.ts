import { describe, expect, it, vi } from 'vitest';
import { defaultConcurrency } from './default-concurrency.ts';

describe('the default concurrency', () => {
  it.each([
    { cores: 1, pool: 4, concurrency: 1 },
    { cores: 2, pool: 4, concurrency: 2 },
    { cores: 16, pool: 4, concurrency: 3 },
    { cores: 16, pool: 32, concurrency: 16 },
    { cores: 4, pool: 1, concurrency: 1 },
  ])('is $concurrency on $cores cores with $pool threads', ({ cores, pool, concurrency }) => {
    expect(defaultConcurrency(cores, pool)).toBe(concurrency);
  });

  it.each([
    ['3', 2],
    ['0', 1],
    ['many', 1],
  ])('with UV_THREADPOOL_SIZE=%s, which libuv parses leniently, is %i', (variable, concurrency) => {
    vi.stubEnv('UV_THREADPOOL_SIZE', variable);
    expect(defaultConcurrency(64)).toBe(concurrency);
    vi.unstubAllEnvs();
  });
});
