import { describe, expect, it } from 'vitest';
import { StartTurns } from './start-turns.ts';

const AT_ONCE = 32;

function taken(): StartTurns {
  const turns = new StartTurns();
  for (let nth = 0; nth < AT_ONCE; nth += 1) expect(turns.take()).toBeNull();
  return turns;
}

describe('turns to start', () => {
  it('are 32 at a time, then one for each that is given back, in the order of asking', async () => {
    const turns = taken();
    const come: string[] = [];
    const waiting = ['a', 'b', 'c'].map(async (name) => {
      if (await turns.take()) come.push(name);
    });
    for (const [nth, each] of waiting.entries()) {
      expect(come).toHaveLength(nth);
      turns.giveBack();
      await each;
    }
    expect(come).toEqual(['a', 'b', 'c']);
  });

  it('are free again once nobody waits', () => {
    const turns = taken();
    turns.giveBack();
    expect(turns.take()).toBeNull();
    expect(turns.take()).not.toBeNull();
  });

  it('do not come to those who are refused, who give none back', async () => {
    const turns = taken();
    const waiting = [turns.take(), turns.take()];
    turns.refuseWaiting();
    expect(await Promise.all(waiting)).toEqual([false, false]);
    turns.giveBack();
    expect(turns.take()).toBeNull();
  });
});
