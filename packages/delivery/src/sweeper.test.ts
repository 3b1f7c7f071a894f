import { AuthError, type ScheduledDelivery } from '@latchhook/core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scheduled } from './scripted-parts.test.support.ts';
import { type SweepOptions, startSweeper } from './sweeper.ts';

interface Sweep {
  readonly enqueued: string[];
  readonly reported: unknown[];
  readonly rescheduled: string[];
  asked: number;
}

interface SceneOptions extends SweepOptions {
  /** What the engine waits for before it has taken what was found. */
  readonly enqueueing?: () => Promise<unknown>;
}

function sweepOver(
  overdue: () => readonly ScheduledDelivery[],
  { enqueueing = async () => {}, ...options }: SceneOptions = {},
): Sweep & { stop(): Promise<void> } {
  const sweep: Sweep = { enqueued: [], rescheduled: [], reported: [], asked: 0 };
  const sweeper = startSweeper(
    {
      overdue: async () => {
        sweep.asked += 1;
        return overdue();
      },
    },
    {
      enqueue: async (found) => {
        await enqueueing();
        sweep.enqueued.push(...found.map((one) => one.deliveryId));
      },
      reschedule: async (found) =>
        void sweep.rescheduled.push(...found.map((one) => one.deliveryId)),
    },
    (error) => void sweep.reported.push(error),
    { random: () => 0.5, ...options },
  );
  return Object.assign(sweep, sweeper);
}

const page = (from: number): ScheduledDelivery[] =>
  Array.from({ length: 200 }, (_, n) => scheduled(`msg_${from + n}`));

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the sweeper', () => {
  it('asks every few seconds, and hands over what is late', async () => {
    const sweep = sweepOver(() => [scheduled('msg_1')]);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(sweep.enqueued).toEqual(['msg_1']);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(sweep.asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sweep.asked).toBe(2);
  });

  it('brings forward what the engine has already', async () => {
    const sweep = sweepOver(() => [scheduled('msg_1')]);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(sweep.rescheduled).toEqual(['msg_1']);
  });

  it('goes on at once while there is more to find', async () => {
    let from = 0;
    const sweep = sweepOver(() => {
      from += 200;
      return page(from);
    });
    await vi.advanceTimersByTimeAsync(3_500);
    expect(sweep.asked).toBe(11);
  });

  it.each([
    { sweepMs: 300, restMs: 300 },
    { sweepMs: 60_000, restMs: 5_000 },
  ])(
    'rests $restMs ms after a sweep of $sweepMs ms that found more',
    async ({ sweepMs, restMs }) => {
      let from = 0;
      const sweep = sweepOver(
        () => {
          from += 200;
          return page(from);
        },
        { enqueueing: () => new Promise((resolve) => setTimeout(resolve, sweepMs)) },
      );
      await vi.advanceTimersByTimeAsync(2_500 + sweepMs + restMs - 1);
      expect(sweep.asked).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(sweep.asked).toBe(2);
    },
  );

  it('does not press workers that have a backlog', async () => {
    const sweep = sweepOver(() => page(0));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sweep.asked).toBeLessThanOrEqual(6);
  });

  it('goes on after a fault of the store, no faster than before', async () => {
    let isAway = true;
    const sweep = sweepOver(() => {
      // As the guarded store refuses, which has told of it.
      if (isAway) throw new AuthError('temporarily_unavailable', 'Come back later.');
      return [scheduled('msg_1')];
    });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(sweep.asked).toBe(6);
    isAway = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sweep.enqueued).toEqual(['msg_1']);
    expect(sweep.reported).toEqual([]);
  });

  it('tells of a mistake, which nobody else has told of', async () => {
    const mistake = new TypeError('overdue is not a function');
    const sweep = sweepOver(() => {
      throw mistake;
    });
    await vi.advanceTimersByTimeAsync(2_500);
    expect(sweep.reported).toEqual([mistake]);
  });

  it('ends, and leaves no timer behind', async () => {
    const sweep = sweepOver(() => []);
    await vi.advanceTimersByTimeAsync(2_500);
    await sweep.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sweep.asked).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
