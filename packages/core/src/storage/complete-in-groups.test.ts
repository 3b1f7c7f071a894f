import { afterEach, expect, it, vi } from 'vitest';
import { completeInGroups } from './complete-in-groups.ts';
import type { AttemptEnd } from './delivery-store.ts';

afterEach(() => vi.restoreAllMocks());

/** The ends of one attempt for each of twenty accounts, which are completed four at a time. */
const ends = Array.from({ length: 20 }, (_, accountId) => ({ accountId }) as AttemptEnd);
const COMPLETED = { outcome: 'completed', disabled: null } as const;

function completeExcept(fails: (accountId: number) => boolean) {
  const asked: number[] = [];
  const completing = completeInGroups(ends, {
    groupOf: ({ accountId }) => Number(accountId),
    concurrency: 4,
    async completeGroup(accountId) {
      asked.push(accountId);
      if (fails(accountId)) throw new Error(`account ${accountId} failed`);
      return [COMPLETED];
    },
  });
  return { asked, completing };
}

it('completeInGroups calls a store that is down only for the first four groups, which it completes in parallel', async () => {
  const { asked, completing } = completeExcept(() => true);
  await expect(completing).rejects.toThrow('failed');
  expect(asked).toHaveLength(4);
});

it('completeInGroups calls the store for all groups if one of the first four succeeds', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const { asked, completing } = completeExcept((accountId) => accountId !== 3);
  const outcomes = (await completing).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(ends.map((_, i) => (i === 3 ? 'completed' : 'unavailable')));
  expect(asked).toHaveLength(20);
});

it('completeInGroups begins with a random group, so that failing groups do not always come first', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const { asked, completing } = completeExcept((accountId) => accountId < 10);
  const outcomes = (await completing).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(ends.map((_, i) => (i < 10 ? 'unavailable' : 'completed')));
  expect(asked.slice(0, 4)).toEqual([10, 11, 12, 13]);
});
