import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { httpServer, request, sender, stopPerformanceClock } from './receivers.test.support.ts';
import { Slices } from './slices.ts';

it('runs what fits into 10 ms at the end of a turn, and the rest in the next turns, in order', async () => {
  const advance = stopPerformanceClock();
  const slices = new Slices();
  const ran: number[] = [];
  for (let nth = 1; nth <= 7; nth += 1) {
    slices.run(() => {
      ran.push(nth);
      advance(4);
    });
  }
  const counts: number[] = [ran.length];
  while (ran.length < 7) {
    await turn();
    counts.push(ran.length);
  }
  expect(counts).toEqual([0, 3, 6, 7]);
  expect(ran).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

it('is not held up where a test has stopped the clock', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await new Promise<void>((resolve) => new Slices().run(resolve));
});

it('begins a burst of attempts to receivers that are not connected yet over several turns', async () => {
  const { port } = new URL(await httpServer((_req, res) => res.writeHead(204).end()));
  const advance = stopPerformanceClock();
  const turnOf: number[] = [];
  let turns = 0;
  const { send } = sender({
    resolveHost: async () => {
      turnOf.push(turns);
      // What all that is done for one connection takes.
      advance(1);
      return [{ address: '127.0.0.1', family: 4 }];
    },
  });
  const sends = Array.from({ length: 100 }, (_, nth) =>
    send(request(`http://r${nth}.test:${port}`)),
  );
  while (turnOf.length < 100) {
    await turn();
    turns += 1;
  }
  for (const result of await Promise.all(sends)) expect(result).toMatchObject({ status: 204 });
  const inTurn = turnOf.map((turn) => turnOf.filter((other) => other === turn).length);
  expect(Math.max(...inTurn)).toBe(10);
});
