import { describe, expect, it } from 'vitest';
import { StartTurns } from './start-turns.ts';

/** How many turns can be taken at once, by accounts that take turns. All are given back. */
function freeOf(turns: StartTurns): number {
  const accounts: number[] = [];
  while (turns.take(1 + accounts.length) === null) accounts.push(1 + accounts.length);
  turns.refuseWaiting(1 + accounts.length);
  for (const accountId of accounts) turns.giveBack(accountId);
  return accounts.length;
}

/** All 32 taken, by two accounts. */
function taken(): StartTurns {
  const turns = new StartTurns();
  for (let nth = 0; nth < 32; nth += 1) expect(turns.take(1 + (nth % 2))).toBeNull();
  return turns;
}

describe('turns to start', () => {
  it('are 32 at a time, then one for each that is given back, in the order of asking', async () => {
    const turns = taken();
    const come: string[] = [];
    const waiting = ['a', 'b', 'c'].map(async (name) => {
      if (await turns.take(3)) come.push(name);
    });
    for (const [nth, each] of waiting.entries()) {
      expect(come).toHaveLength(nth);
      turns.giveBack(1);
      await each;
    }
    expect(come).toEqual(['a', 'b', 'c']);
  });

  it('are 16 at a time of one account, and go to others besides', async () => {
    const turns = new StartTurns();
    for (let nth = 0; nth < 16; nth += 1) expect(turns.take(1)).toBeNull();
    const waiting = turns.take(1);
    expect(waiting).not.toBeNull();
    expect(turns.take(2)).toBeNull();
    turns.giveBack(2);
    turns.giveBack(1);
    expect(await waiting).toBe(true);
    expect(turns.take(1)).not.toBeNull();
  });

  it('are counted as they are taken, at once or after a wait', async () => {
    const turns = taken();
    const waiting = turns.take(1);
    expect(turns.given).toBe(32);
    turns.giveBack(1);
    await waiting;
    expect(turns.given).toBe(33);
  });

  it('come to the accounts that wait by turns', async () => {
    const turns = taken();
    const come: number[] = [];
    const waiting = [3, 3, 3, 4, 4].map(async (accountId) => {
      if (await turns.take(accountId)) come.push(accountId);
    });
    for (let nth = 0; nth < 5; nth += 1) turns.giveBack(1);
    await Promise.all(waiting);
    expect(come).toEqual([3, 4, 3, 4, 3]);
  });

  it('are free again once nobody waits', () => {
    const turns = taken();
    for (let nth = 0; nth < 16; nth += 1) turns.giveBack(1);
    for (let nth = 0; nth < 16; nth += 1) expect(turns.take(3)).toBeNull();
    expect(turns.take(4)).not.toBeNull();
  });

  it('are half as many for all that were late at once, and two at least', () => {
    const turns = new StartTurns();
    for (let nth = 0; nth < 32; nth += 1) turns.noteLate(100, 200 + nth);
    expect(freeOf(turns)).toBe(16);
    for (const [askedAtMs, free] of [
      [199, 16],
      [200, 8],
      [1_000, 4],
      [2_000, 2],
      [3_000, 2],
    ] as const) {
      turns.noteLate(askedAtMs, askedAtMs);
      expect(freeOf(turns)).toBe(free);
    }
  });

  it('are one more for as many in time as are allowed, and 32 at most', () => {
    const turns = new StartTurns();
    for (const atMs of [1, 2, 3]) turns.noteLate(atMs, atMs);
    for (const free of [4, 5, 6]) {
      expect(freeOf(turns)).toBe(free);
      for (let nth = 0; nth <= free; nth += 1) turns.noteInTime();
    }
    for (let nth = 0; nth < 1_000; nth += 1) turns.noteInTime();
    expect(freeOf(turns)).toBe(32);
  });

  it('go to one account by half, however few there are', () => {
    const turns = new StartTurns();
    for (const atMs of [1, 2, 3, 4]) turns.noteLate(atMs, atMs);
    expect(turns.take(1)).toBeNull();
    expect(turns.take(1)).not.toBeNull();
    expect(turns.take(2)).toBeNull();
  });

  it('come to all that wait as more are allowed, and to none while fewer are', async () => {
    const turns = taken();
    const come: string[] = [];
    const waiting = ['a', 'b'].map(async (name, nth) => {
      if (await turns.take(3 + nth)) come.push(name);
    });
    for (const atMs of [1, 2, 3, 4]) turns.noteLate(atMs, atMs);
    for (let nth = 0; nth < 30; nth += 1) turns.giveBack(1 + (nth % 2));
    expect(turns.given).toBe(32);
    for (let nth = 0; nth < 9; nth += 1) turns.noteInTime();
    turns.giveBack(1);
    await Promise.all(waiting);
    expect(come).toEqual(['a', 'b']);
  });

  it('are given back by an account that has none left, and whose next had to wait', async () => {
    const turns = new StartTurns();
    for (const [accountId, count] of [
      [1, 1],
      [2, 16],
      [4, 15],
    ] as const) {
      for (let nth = 0; nth < count; nth += 1) expect(turns.take(accountId)).toBeNull();
    }
    const waiting = [turns.take(3), turns.take(1)];
    for (const accountId of [1, 2]) turns.giveBack(accountId);
    expect(await Promise.all(waiting)).toEqual([true, true]);
    turns.giveBack(1);
    expect(turns.take(5)).toBeNull();
  });

  it.each([
    ['has as many as it may', 1],
    ['has none yet', 4],
  ])(
    'do not come to who is refused of an account that %s, nor wait for it',
    async (_, accountId) => {
      const turns = taken();
      const refused = [turns.take(accountId), turns.take(accountId)];
      const other = turns.take(3);
      turns.refuseWaiting(accountId);
      expect(await Promise.all(refused)).toEqual([false, false]);
      turns.giveBack(1);
      expect(await other).toBe(true);
      turns.giveBack(3);
      expect(turns.take(5)).toBeNull();
    },
  );
});
