import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { httpServer, request, sender, stopPerformanceClock } from './receivers.test.support.ts';
import { TimeSlices } from './time-slices.ts';

/** Runs jobs of these durations. @returns the number of jobs that had run at the end of each turn */
async function runAll(jobsMs: readonly number[], betweenTurnsMs = 0) {
  const advance = stopPerformanceClock();
  const slices = new TimeSlices();
  const order: number[] = [];
  for (const [i, ms] of jobsMs.entries()) {
    slices.run(() => {
      order.push(i);
      advance(ms);
    });
  }
  const counts: number[] = [order.length];
  while (order.length < jobsMs.length) {
    await turn();
    counts.push(order.length);
    advance(betweenTurnsMs);
  }
  expect(order).toEqual(jobsMs.map((_, i) => i));
  return counts;
}

it('jobs run for 10 ms in each turn of the event loop, in order', async () => {
  expect(await runAll(Array(7).fill(4))).toEqual([0, 3, 6, 7]);
});

it('one job runs in a turn of the event loop that is already long', async () => {
  expect(await runAll(Array(6).fill(4), 10)).toEqual([0, 3, 4, 5, 6]);
});

it('jobs run even if a test uses fake timers', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await new Promise<void>((resolve) => new TimeSlices().run(resolve));
});

it('a burst of attempts over new connections is spread over several turns', async () => {
  const { port } = new URL(await httpServer((_req, res) => res.writeHead(204).end()));
  const advance = stopPerformanceClock();
  const turnOf: number[] = [];
  let turns = 0;
  const { send } = sender({
    resolveHost: async () => {
      turnOf.push(turns);
      // The time that one connection costs.
      advance(1);
      return [{ address: '127.0.0.1', family: 4 }];
    },
  });
  const sends = Array.from({ length: 100 }, (_, i) => send(request(`http://r${i}.test:${port}`)));
  while (turnOf.length < 100) {
    await turn();
    turns += 1;
  }
  for (const result of await Promise.all(sends)) expect(result).toMatchObject({ status: 204 });
  const attemptsInTurn = turnOf.map((turn) => turnOf.filter((other) => other === turn).length);
  expect(Math.max(...attemptsInTurn)).toBe(10);
});
