import { AsyncLocalStorage } from 'node:async_hooks';
import { Redis } from 'ioredis';
import { expect, it, vi } from 'vitest';
import { LossWatch } from './loss-watch.ts';

it('looks in its own async context, at whichever request that falls due', async () => {
  const context = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const redis = new Redis({ lazyConnect: true });
  vi.spyOn(redis, 'eval').mockImplementation(async () => {
    contexts.push(context.getStore());
    return ['mark', 0];
  });
  const watch = new LossWatch(redis, 'latchhook');
  await context.run('a login', () => watch.look());
  expect(contexts).toEqual([undefined]);
});
