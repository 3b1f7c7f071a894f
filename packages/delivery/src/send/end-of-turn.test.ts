import { expect, it, onTestFinished, vi } from 'vitest';
import { atEndOfTurn } from './end-of-turn.ts';

it('calls all that asked in a turn together, in their order, and who asks meanwhile in the next', async () => {
  const called: string[] = [];
  const ended = new Promise<void>((resolve) => {
    atEndOfTurn(() => {
      called.push('first');
      queueMicrotask(() => called.push('after first'));
      atEndOfTurn(() => {
        called.push('next turn');
        resolve();
      });
    });
  });
  process.nextTick(() => {
    called.push('same turn');
    atEndOfTurn(() => called.push('second'));
  });
  expect(called).toEqual([]);
  await ended;
  expect(called).toEqual(['same turn', 'first', 'second', 'after first', 'next turn']);
});

it('is not held up where a test has stopped the clock', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await new Promise<void>((resolve) => atEndOfTurn(resolve));
});
