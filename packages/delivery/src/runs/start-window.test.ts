import { describe, expect, it } from 'vitest';
import { StartWindow } from './start-window.ts';

/** How many slots can be acquired at once, by accounts that take turns. All are released. */
function freeOf(window: StartWindow): number {
  const accounts: number[] = [];
  while (window.acquire(1 + accounts.length) === null) accounts.push(1 + accounts.length);
  window.refuseWaiting(1 + accounts.length);
  for (const accountId of accounts) window.release(accountId);
  return accounts.length;
}

/** All 32 acquired, by two accounts. */
function inUse(): StartWindow {
  const window = new StartWindow();
  for (let nth = 0; nth < 32; nth += 1) expect(window.acquire(1 + (nth % 2))).toBeNull();
  return window;
}

describe('the slots of the window of starts', () => {
  it('are 32 at a time, then one for each that is released, in the order of asking', async () => {
    const window = inUse();
    const come: string[] = [];
    const waiting = ['a', 'b', 'c'].map(async (name) => {
      if (await window.acquire(3)) come.push(name);
    });
    for (const [nth, each] of waiting.entries()) {
      expect(come).toHaveLength(nth);
      window.release(1);
      await each;
    }
    expect(come).toEqual(['a', 'b', 'c']);
  });

  it('are 16 at a time of one account, and go to others besides', async () => {
    const window = new StartWindow();
    for (let nth = 0; nth < 16; nth += 1) expect(window.acquire(1)).toBeNull();
    const waiting = window.acquire(1);
    expect(waiting).not.toBeNull();
    expect(window.acquire(2)).toBeNull();
    window.release(2);
    window.release(1);
    expect(await waiting).toBe(true);
    expect(window.acquire(1)).not.toBeNull();
  });

  it('are counted as they are acquired, at once or after a wait', async () => {
    const window = inUse();
    const waiting = window.acquire(1);
    expect(window.acquiredSoFar).toBe(32);
    window.release(1);
    await waiting;
    expect(window.acquiredSoFar).toBe(33);
  });

  it('come to the accounts that wait by turns', async () => {
    const window = inUse();
    const come: number[] = [];
    const waiting = [3, 3, 3, 4, 4].map(async (accountId) => {
      if (await window.acquire(accountId)) come.push(accountId);
    });
    for (let nth = 0; nth < 5; nth += 1) window.release(1);
    await Promise.all(waiting);
    expect(come).toEqual([3, 4, 3, 4, 3]);
  });

  it('are free again once nobody waits', () => {
    const window = inUse();
    for (let nth = 0; nth < 16; nth += 1) window.release(1);
    for (let nth = 0; nth < 16; nth += 1) expect(window.acquire(3)).toBeNull();
    expect(window.acquire(4)).not.toBeNull();
  });

  it('are half as many for all that were late at once, and two at least', () => {
    const window = new StartWindow();
    for (let nth = 0; nth < 32; nth += 1) window.noteLate(100, 200 + nth);
    expect(freeOf(window)).toBe(16);
    for (const [askedAtMs, free] of [
      [199, 16],
      [200, 8],
      [1_000, 4],
      [2_000, 2],
      [3_000, 2],
    ] as const) {
      window.noteLate(askedAtMs, askedAtMs);
      expect(freeOf(window)).toBe(free);
    }
  });

  it('are one more for as many in time as are allowed, and 32 at most', () => {
    const window = new StartWindow();
    for (const atMs of [1, 2, 3]) window.noteLate(atMs, atMs);
    for (const free of [4, 5, 6]) {
      expect(freeOf(window)).toBe(free);
      for (let nth = 0; nth <= free; nth += 1) window.noteInTime();
    }
    for (let nth = 0; nth < 1_000; nth += 1) window.noteInTime();
    expect(freeOf(window)).toBe(32);
  });

  it('go to one account by half, however few there are', () => {
    const window = new StartWindow();
    for (const atMs of [1, 2, 3, 4]) window.noteLate(atMs, atMs);
    expect(window.acquire(1)).toBeNull();
    expect(window.acquire(1)).not.toBeNull();
    expect(window.acquire(2)).toBeNull();
  });

  it('come to all that wait as more are allowed, and to none while fewer are', async () => {
    const window = inUse();
    const come: string[] = [];
    const waiting = ['a', 'b'].map(async (name, nth) => {
      if (await window.acquire(3 + nth)) come.push(name);
    });
    for (const atMs of [1, 2, 3, 4]) window.noteLate(atMs, atMs);
    for (let nth = 0; nth < 30; nth += 1) window.release(1 + (nth % 2));
    expect(window.acquiredSoFar).toBe(32);
    for (let nth = 0; nth < 9; nth += 1) window.noteInTime();
    window.release(1);
    await Promise.all(waiting);
    expect(come).toEqual(['a', 'b']);
  });

  it('are released by an account that has none left, and whose next had to wait', async () => {
    const window = new StartWindow();
    for (const [accountId, count] of [
      [1, 1],
      [2, 16],
      [4, 15],
    ] as const) {
      for (let nth = 0; nth < count; nth += 1) expect(window.acquire(accountId)).toBeNull();
    }
    const waiting = [window.acquire(3), window.acquire(1)];
    for (const accountId of [1, 2]) window.release(accountId);
    expect(await Promise.all(waiting)).toEqual([true, true]);
    window.release(1);
    expect(window.acquire(5)).toBeNull();
  });

  it.each([
    ['has as many as it may', 1],
    ['has none yet', 4],
  ])(
    'do not come to who is refused of an account that %s, nor wait for it',
    async (_, accountId) => {
      const window = inUse();
      const refused = [window.acquire(accountId), window.acquire(accountId)];
      const other = window.acquire(3);
      window.refuseWaiting(accountId);
      expect(await Promise.all(refused)).toEqual([false, false]);
      window.release(1);
      expect(await other).toBe(true);
      window.release(3);
      expect(window.acquire(5)).toBeNull();
    },
  );
});
