import { expect, it } from 'vitest';
import { StartGate } from './start-gate.ts';

it('lets 32 through at once, and the others one by one, in their order, or turns them away', async () => {
  const gate = new StartGate();
  const through: number[] = [];
  const waits = Array.from({ length: 35 }, async (_, nth) => {
    await gate.enter();
    through.push(nth);
  });
  await Promise.all(waits.slice(0, 32));
  expect(through).toHaveLength(32);
  for (const nth of [32, 33, 34]) {
    gate.leave();
    await waits[nth];
    expect(through.at(-1)).toBe(nth);
  }
  const turnedAway = [gate.enter(), gate.enter()];
  gate.turnAway();
  expect(await Promise.all(turnedAway)).toEqual([false, false]);
  for (let left = 0; left < 32; left += 1) gate.leave();
  expect(gate.enter()).toBeNull();
});
