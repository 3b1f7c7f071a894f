import { systemTimers } from '@latchhook/core/delivery';
import type { AttemptEnd } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { Completions } from './completions.ts';

it('only the completions that were unavailable are repeated, and no event is emitted twice', async () => {
  const calls: string[][] = [];
  const events: unknown[] = [];
  const settled: string[] = [];
  const repeats: (() => void)[] = [];
  const completions = new Completions({
    store: {
      complete: async (ends) => {
        calls.push(ends.map(({ deliveryId }) => deliveryId));
        return ends.map(({ accountId }) =>
          accountId === 2 && calls.length === 1
            ? { outcome: 'unavailable', error: 'down' }
            : { outcome: 'completed', disabled: 'gone' },
        );
      },
    },
    limits: { disableAfterMs: 1 },
    emit: (event) => events.push({ ...event }),
    timers: {
      ...systemTimers,
      after(_ms, run) {
        repeats.push(run);
        return () => {};
      },
    },
    nowMs: () => 0,
    onClaimable: () => {},
    onSettled: (ends) => settled.push(...ends.map(({ deliveryId }) => deliveryId)),
  });
  const endOf = (accountId: number, deliveryId: string) =>
    ({
      accountId,
      webhookId: 'w',
      deliveryId,
      outcome: { kind: 'failed', reason: 'gone' },
    }) as AttemptEnd;
  // Account id and delivery id.
  const ids: readonly [number, string][] = [
    [1, 'a'],
    [2, 'b'],
    [2, 'c'],
    [3, 'd'],
  ];
  completions.add(...ids.map((id) => ({ end: endOf(...id), leaseEndsAtMs: 1 })));
  // Account 2 is unavailable in the first call. The others are completed, so the store does not count as failing.
  await expect.poll(() => settled).toEqual(['a', 'd']);
  expect(completions.claimLimit).toBe(Number.POSITIVE_INFINITY);
  expect(completions.isIdle).toBe(false);
  for (const repeat of repeats) repeat();
  await expect.poll(() => completions.isIdle).toBe(true);
  expect(calls).toEqual([
    ['a', 'b', 'c', 'd'],
    ['b', 'c'],
  ]);
  expect(settled).toEqual(['a', 'd', 'b', 'c']);
  const dead = (accountId: number, deliveryId: string) => ({
    type: 'delivery.dead',
    accountId,
    webhookId: 'w',
    deliveryId,
    reason: 'gone',
  });
  const disabled = (accountId: number) => ({
    type: 'webhook.disabled',
    accountId,
    webhookId: 'w',
    reason: 'gone',
  });
  expect(events).toEqual([
    { type: 'fault', where: 'storage', error: 'down' },
    disabled(1),
    dead(1, 'a'),
    disabled(3),
    dead(3, 'd'),
    disabled(2),
    dead(2, 'b'),
    disabled(2),
    dead(2, 'c'),
  ]);
});

it('at most a thousand completions are sent in one call of the store', async () => {
  const sizes: number[] = [];
  let settled = 0;
  const completions = new Completions({
    store: {
      complete: async (ends) => {
        sizes.push(ends.length);
        return ends.map(() => ({ outcome: 'stale' }));
      },
    },
    limits: { disableAfterMs: 1 },
    emit: () => {},
    timers: systemTimers,
    nowMs: () => 0,
    onClaimable: () => {},
    onSettled: (ends) => {
      settled += ends.length;
    },
  });
  const end = { outcome: { kind: 'not_started' } } as AttemptEnd;
  completions.add(...Array.from({ length: 2_500 }, () => ({ end, leaseEndsAtMs: 1 })));
  await expect.poll(() => completions.isIdle).toBe(true);
  expect(sizes).toEqual([1_000, 1_000, 500]);
  expect(settled).toBe(2_500);
});
