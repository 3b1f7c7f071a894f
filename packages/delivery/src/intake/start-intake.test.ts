import type { DeliveryStore, Outbox } from '@latchhook/core/storage';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scheduled, scriptedDeps } from '../runs/scripted-deps.test.support.ts';
import { startIntake } from './start-intake.ts';
import { resolveSweep } from './sweep-options.ts';

const queue = { enqueue: () => {}, takeLost: () => {}, reschedule: async () => {} };
const SWEEP = resolveSweep('sweep');
const MINUTE_MS = 60_000;

/** How often a store is asked for what is late within a minute, where nothing is. */
async function sweepsInAMinute(deps: ReturnType<typeof scriptedDeps>): Promise<number> {
  deps.calls.splice(0);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  return deps.calls.filter((call) => call === 'overdue').length;
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the intake of a queue', () => {
  it('asks less often once this process has had nothing to send for a while', async () => {
    const deps = scriptedDeps();
    const intake = startIntake(deps, queue, SWEEP);
    const busy = setInterval(() => {
      void deps.startWindow.acquire(1);
      deps.startWindow.release(1);
    }, 1_000);
    expect(await sweepsInAMinute(deps)).toBeGreaterThan(60);
    clearInterval(busy);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(await sweepsInAMinute(deps)).toBeLessThanOrEqual(15);
    await intake.stop();
  });

  it('has what is held of an enabled webhook released', async () => {
    const { context, ...deps } = scriptedDeps();
    const enqueue = vi.fn();
    let held = [scheduled('msg_1')];
    const deliveries: DeliveryStore = {
      ...context.deliveries,
      unreleased: async () => held.slice(0, 1),
      async release() {
        const batch = { scheduled: held, count: held.length, more: false };
        held = [];
        return batch;
      },
    };
    const intake = startIntake(
      { ...deps, context: { ...context, deliveries } },
      { ...queue, enqueue },
      SWEEP,
    );
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await intake.stop();
    expect(enqueue).toHaveBeenCalledExactlyOnceWith([scheduled('msg_1')]);
  });

  it('is stopped when its relay no longer watches the outbox', async () => {
    const { context, ...deps } = scriptedDeps();
    let unwatch = (): void => {};
    const unwatched = new Promise<void>((resolve) => {
      unwatch = resolve;
    });
    const unasked = () => Promise.reject(new Error('no intake asks for this'));
    const outbox: Outbox = {
      publishWithin: unasked,
      takeCommitted: async () => ({ taken: [], more: false }),
      countPending: unasked,
      lagMs: unasked,
      watch: () => () => unwatched,
    };
    const deliveries = { ...context.deliveries, outbox };
    const intake = startIntake({ ...deps, context: { ...context, deliveries } }, queue, SWEEP);
    let isOver = false;
    const stopped = intake.stop().then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(isOver).toBe(false);
    unwatch();
    await stopped;
  });
});
