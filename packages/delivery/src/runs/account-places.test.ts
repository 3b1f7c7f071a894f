import { describe, expect, it } from 'vitest';
import { AccountPlaces } from './account-places.ts';

const ADA = 1;
const ALAN = 2;

function filled(places: AccountPlaces, count: number): boolean[] {
  return Array.from({ length: count }, () => places.enter(ADA));
}

describe('the places of an account', () => {
  it('are a third of those of the process', () => {
    const places = new AccountPlaces(60);
    expect(filled(places, 21).lastIndexOf(true)).toBe(19);
    expect(places.enter(ALAN)).toBe(true);
  });

  it('leave many to others, however many accounts take what they can', () => {
    const places = new AccountPlaces(500);
    const taken = new Map<number, number>();
    const takeAll = (accountId: number): void => {
      while (places.enter(accountId)) taken.set(accountId, (taken.get(accountId) ?? 0) + 1);
    };
    for (const accountId of [1, 2, 3]) takeAll(accountId);
    expect([...taken.values()]).toEqual([167, 111, 74]);
    // As attempts end, and others begin in their places, it comes to a fifth each.
    for (let nth = 0; nth < 500; nth += 1) {
      for (const accountId of [1, 2, 3]) {
        places.leave(accountId);
        taken.set(accountId, (taken.get(accountId) ?? 0) - 1);
        takeAll(accountId);
      }
    }
    expect([...taken.values()].every((count) => count >= 99 && count <= 101)).toBe(true);
    takeAll(4);
    expect(taken.get(4)).toBe(67);
  });

  it('are given to as many in line as there is room for once others have left', () => {
    const places = new AccountPlaces(60);
    for (let nth = 0; nth < 20; nth += 1) places.enter(ALAN);
    const filledFirst = filled(places, 20).lastIndexOf(true) + 1;
    expect(filledFirst).toBe(14);
    let begun = 0;
    for (let nth = 0; nth < 20; nth += 1) {
      places.lineUp(ADA, () => {
        begun += 1;
        return true;
      });
    }
    for (let nth = 0; nth < 20; nth += 1) places.leave(ALAN);
    // A third of all, by now.
    expect(filledFirst + begun).toBe(20);
  });

  it('are given to all that wait by turns', () => {
    const places = new AccountPlaces(60);
    const others = [ADA, ALAN];
    for (let nth = 0; nth < 60; nth += 1) places.enter(10 + nth);
    for (const account of others) for (let nth = 0; nth < 10; nth += 1) places.enter(account);
    const begun: number[] = [];
    for (const account of others) {
      for (let nth = 0; nth < 3; nth += 1) {
        places.lineUp(account, () => begun.push(account) > 0);
      }
    }
    for (let nth = 0; nth < 60; nth += 1) places.leave(10 + nth);
    expect(begun).toEqual([ADA, ALAN, ADA, ALAN, ADA, ALAN]);
  });

  it('are ten at least', () => {
    expect(filled(new AccountPlaces(1), 11).lastIndexOf(true)).toBe(9);
  });

  it('are free again when an attempt has ended', () => {
    const places = new AccountPlaces(1);
    expect(filled(places, 11).at(-1)).toBe(false);
    places.leave(ADA);
    expect(places.enter(ADA)).toBe(true);
  });

  it('are counted on for the attempts that have not ended', () => {
    const places = new AccountPlaces(1);
    filled(places, 2);
    places.leave(ADA);
    expect(filled(places, 10).lastIndexOf(true)).toBe(8);
  });

  it('go to those in line as they become free, in the order of coming', () => {
    const places = new AccountPlaces(1);
    filled(places, 10);
    const begun: string[] = [];
    const begin = (name: string, isWanted = true) => {
      return () => {
        if (isWanted) begun.push(name);
        return isWanted;
      };
    };
    places.lineUp(ADA, begin('first'));
    places.lineUp(ADA, begin('not wanted any more', false));
    places.lineUp(ADA, begin('second'));
    expect(begun).toEqual([]);
    places.leave(ADA);
    expect(places.enter(ADA)).toBe(false);
    places.leave(ADA);
    expect(begun).toEqual(['first', 'second']);
    places.lineUp(ADA, begin('not wanted at all', false));
    places.leave(ADA);
    expect(places.enter(ADA)).toBe(true);
    expect(places.enter(ADA)).toBe(false);
  });

  it('are tried again by those turned away one after the other, not all at once', () => {
    const places = new AccountPlaces(30);
    filled(places, 10);
    expect([1, 2, 3].map(() => places.reserveRetryMs(ADA, 1_000_000))).toEqual([500, 550, 600]);
  });

  it('are tried again as quickly as they have become free of late', () => {
    const places = new AccountPlaces(30);
    filled(places, 10);
    places.reserveRetryMs(ADA, 1_000_000);
    for (let nth = 0; nth < 20; nth += 1) {
      places.leave(ADA);
      places.enter(ADA);
    }
    // Twenty in 400 ms, so that ten take 200; the one before has reserved the first 550.
    expect(places.reserveRetryMs(ADA, 1_000_400)).toBe(200);
    expect(places.reserveRetryMs(ADA, 1_000_400)).toBe(220);
  });

  it('are tried again by what became free within the last second, and not too soon', () => {
    const places = new AccountPlaces(30);
    filled(places, 10);
    places.reserveRetryMs(ADA, 1_000_000);
    for (let nth = 0; nth < 100; nth += 1) {
      places.leave(ADA);
      places.enter(ADA);
    }
    // A hundred in 600 ms, so that ten take 60; then in 900, so that they take 90.
    expect(places.reserveRetryMs(ADA, 1_000_600)).toBe(100);
    expect(places.reserveRetryMs(ADA, 1_000_900)).toBe(100);
    expect(places.reserveRetryMs(ADA, 1_000_900)).toBe(109);
  });

  it('are not reserved for longer than five seconds, however many are turned away', () => {
    const places = new AccountPlaces(30);
    filled(places, 10);
    const pauses = Array.from({ length: 2_000 }, () => places.reserveRetryMs(ADA, 1_000_000));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000);
    expect(new Set(pauses).size).toBeGreaterThan(80);
  });

  it('are not reserved any more once all of its attempts have ended', () => {
    const places = new AccountPlaces(30);
    places.enter(ADA);
    places.reserveRetryMs(ADA, 1_000_000);
    places.leave(ADA);
    filled(places, 10);
    expect(places.reserveRetryMs(ADA, 1_000_000)).toBe(500);
  });
});
