import { AuthError, type Awaitable, systemClock } from '@latchhook/core';
import type { OverdueRequest, ScheduledDelivery } from '@latchhook/core/storage';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scheduled } from '../runs/scripted-deps.test.support.ts';
import { storedDeliveries } from '../runs/stored-deliveries.test.support.ts';
import { resolveSweep, type SweepOptions } from './sweep-options.ts';
import { type SweeperDeps, startSweeper } from './sweeper.ts';

interface Sweep {
  readonly enqueued: string[];
  readonly reported: unknown[];
  readonly rescheduled: string[];
  asked: number;
}

interface SceneOptions
  extends SweepOptions,
    Partial<Pick<SweeperDeps, 'attemptsSoFar' | 'random'>> {
  /** What the engine waits for before it has taken what was found. */
  readonly enqueueing?: () => Promise<unknown>;
}

function sweepOver(
  overdue: (request: OverdueRequest) => Awaitable<readonly ScheduledDelivery[]>,
  { enqueueing = async () => {}, attemptsSoFar, random = () => 0.5, ...options }: SceneOptions = {},
): Sweep & { stop(): Promise<void> } {
  let attempts = 0;
  const sweep: Sweep = { enqueued: [], rescheduled: [], reported: [], asked: 0 };
  const sweeper = startSweeper(
    {
      deliveries: {
        overdue: async (request) => {
          sweep.asked += 1;
          return overdue(request);
        },
      },
      queue: {
        takeLost: async (found) => {
          await enqueueing();
          sweep.enqueued.push(...found.map((one) => one.deliveryId));
        },
        reschedule: async (found) =>
          void sweep.rescheduled.push(...found.map((one) => one.deliveryId)),
      },
      report: (error) => void sweep.reported.push(error),
      clock: systemClock,
      random,
      attemptsSoFar: attemptsSoFar ?? (() => ++attempts),
    },
    resolveSweep('sweep', options),
  );
  return Object.assign(sweep, sweeper);
}

const DEFAULTS = resolveSweep('sweep');

/** When the first sweep is, by a random number of a half. */
const FIRST_MS = DEFAULTS.intervalMs / 2;

const page = (from: number): ScheduledDelivery[] =>
  Array.from({ length: 200 }, (_, n) => scheduled(`msg_${from + n}`));

const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${prefix}-${nth}`);

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the sweeper', () => {
  it('asks by its defaults for what is late by five seconds, and puts it off for thirty', async () => {
    const asked: OverdueRequest[] = [];
    sweepOver((request) => {
      asked.push(request);
      return [];
    });
    await vi.advanceTimersByTimeAsync(DEFAULTS.intervalMs);
    expect(asked).toEqual([{ graceMs: 5_000, limit: 200, putOffMs: 30_000 }]);
  });

  it('asks all the time, and hands over what is late', async () => {
    const sweep = sweepOver(() => [scheduled('msg_1')]);
    await vi.advanceTimersByTimeAsync(FIRST_MS);
    expect(sweep.enqueued).toEqual(['msg_1']);
    await vi.advanceTimersByTimeAsync(DEFAULTS.intervalMs - 1);
    expect(sweep.asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sweep.asked).toBe(2);
  });

  it('brings forward what the engine has already', async () => {
    const sweep = sweepOver(() => [scheduled('msg_1')]);
    await vi.advanceTimersByTimeAsync(FIRST_MS);
    expect(sweep.rescheduled).toEqual(['msg_1']);
  });

  it('goes on at once while there is more to find', async () => {
    let from = 0;
    const sweep = sweepOver(() => {
      from += 200;
      return page(from);
    });
    await vi.advanceTimersByTimeAsync(FIRST_MS + 1_000);
    expect(sweep.asked).toBe(11);
  });

  it('pauses for longer where the store takes long to answer', async () => {
    const sweep = sweepOver(async () => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return [];
    });
    await vi.advanceTimersByTimeAsync(FIRST_MS + 40 + 2_000 - 1);
    expect(sweep.asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sweep.asked).toBe(2);
  });

  it('pauses for as long as it took the engine to take what was found, while there is more', async () => {
    let from = 0;
    const sweep = sweepOver(
      () => {
        from += 200;
        return page(from);
      },
      { enqueueing: () => new Promise((resolve) => setTimeout(resolve, 300)) },
    );
    await vi.advanceTimersByTimeAsync(FIRST_MS + 300 + 300 - 1);
    expect(sweep.asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sweep.asked).toBe(2);
  });

  it('asks often for half a minute more where something was late', async () => {
    let found = [scheduled('msg_1')];
    const sweep = sweepOver(() => found, { attemptsSoFar: () => 0 });
    await vi.advanceTimersByTimeAsync(40_000);
    found = [];
    const before = sweep.asked;
    await vi.advanceTimersByTimeAsync(29_000);
    expect(sweep.asked - before).toBeGreaterThan(38);
  });

  it('finds what a dead process sent within a second of the end of its lease', async () => {
    const { publish, deliveries } = storedDeliveries();
    const lost = { ...scheduled('lost-0'), webhookId: 'wh_lost' };
    await publish(lost.webhookId, [lost.deliveryId]);
    const limits = { maxInFlight: 1, maxLostAttempts: 5, rateMarginMs: 0, leaseMs: 20_000 };
    await deliveries.start({ ...lost, ...limits, withdrawnStartAtMs: null });
    const sweep = sweepOver((request) => deliveries.overdue(request), { random: () => 1 });
    await vi.advanceTimersByTimeAsync(19_999);
    expect(sweep.enqueued).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sweep.enqueued).toEqual(['lost-0']);
  });

  it('finds what was lost behind a backlog that waits for its workers, and does not press these', async () => {
    const { publish, deliveries } = storedDeliveries();
    await publish('wh_slow', namesOf('slow', 6_000));
    await vi.advanceTimersByTimeAsync(DEFAULTS.graceMs + 1);
    await publish('wh_lost', namesOf('lost', 5));
    // All of it in thirty pages, of which the engine makes nothing.
    const sweep = sweepOver((request) => deliveries.overdue(request));
    await vi.advanceTimersByTimeAsync(2 * DEFAULTS.graceMs);
    expect(sweep.enqueued.filter((id) => id.startsWith('lost'))).toHaveLength(5);
    expect(sweep.enqueued).toHaveLength(6_005);
    await vi.advanceTimersByTimeAsync(DEFAULTS.putOffMs - DEFAULTS.graceMs);
    expect(sweep.enqueued).toHaveLength(6_005);
    expect(sweep.asked).toBeLessThanOrEqual(31 + 35_000 / DEFAULTS.intervalMs);
    await vi.advanceTimersByTimeAsync(3 * DEFAULTS.graceMs);
    expect(sweep.enqueued).toHaveLength(2 * 6_005);
  });

  it('does not press workers that have a backlog, though the store puts nothing off', async () => {
    const sweep = sweepOver(() => page(0));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sweep.asked).toBeLessThanOrEqual(6);
  });

  it('hands over what was returned though it is stopped meanwhile: nobody else gets it', async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const sweep = sweepOver(() => answered.then(() => [scheduled('msg_1')]));
    await vi.advanceTimersByTimeAsync(FIRST_MS);
    const stopped = sweep.stop();
    answer();
    await stopped;
    expect(sweep.enqueued).toEqual(['msg_1']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes on after a fault of the store, every five seconds', async () => {
    let isUnavailable = true;
    const sweep = sweepOver(() => {
      // As the guarded store refuses, which has reported it.
      if (isUnavailable) throw new AuthError('temporarily_unavailable', 'Come back later.');
      return [scheduled('msg_1')];
    });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(sweep.asked).toBe(6);
    isUnavailable = false;
    await vi.advanceTimersByTimeAsync(FIRST_MS);
    expect(sweep.enqueued).toEqual(['msg_1']);
    expect(sweep.reported).toEqual([]);
  });

  it('reports a bug, which nobody else has reported', async () => {
    const bug = new TypeError('overdue is not a function');
    const sweep = sweepOver(() => {
      throw bug;
    });
    await vi.advanceTimersByTimeAsync(FIRST_MS);
    expect(sweep.reported).toEqual([bug]);
  });

  it('ends, and leaves no timer behind', async () => {
    const sweep = sweepOver(() => []);
    await vi.advanceTimersByTimeAsync(FIRST_MS);
    await sweep.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sweep.asked).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
