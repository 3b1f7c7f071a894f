import { AsyncLocalStorage } from 'node:async_hooks';
import { Redis } from 'ioredis';
import { expect, it, vi } from 'vitest';
import { DataLossDetector } from './data-loss-detector.ts';

it('a data-loss check runs outside the async context of the request that triggers it', async () => {
  const context = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const redis = new Redis({ lazyConnect: true });
  vi.spyOn(redis, 'eval').mockImplementation(async () => {
    contexts.push(context.getStore());
    return ['mark', 0];
  });
  const detector = new DataLossDetector(redis, 'latchhook');
  await context.run('a login', () => detector.check());
  expect(contexts).toEqual([undefined]);
});
