import { describe, expect, it } from 'vitest';
import { AccountSlots } from './account-slots.ts';

const ADA = 1;
const ALAN = 2;

function filled(slots: AccountSlots, count: number): boolean[] {
  return Array.from({ length: count }, () => slots.tryAcquire(ADA));
}

describe('the slots of an account', () => {
  it('are a third of those of the process', () => {
    const slots = new AccountSlots(60);
    expect(filled(slots, 21).lastIndexOf(true)).toBe(19);
    expect(slots.tryAcquire(ALAN)).toBe(true);
  });

  it('leave many to others, however many accounts acquire what they can', () => {
    const slots = new AccountSlots(500);
    const held = new Map<number, number>();
    const acquireAll = (accountId: number): void => {
      while (slots.tryAcquire(accountId)) held.set(accountId, (held.get(accountId) ?? 0) + 1);
    };
    for (const accountId of [1, 2, 3]) acquireAll(accountId);
    expect([...held.values()]).toEqual([167, 111, 74]);
    // As attempts end, and others begin in their slots, it comes to a fifth each.
    for (let nth = 0; nth < 500; nth += 1) {
      for (const accountId of [1, 2, 3]) {
        slots.release(accountId);
        held.set(accountId, (held.get(accountId) ?? 0) - 1);
        acquireAll(accountId);
      }
    }
    expect([...held.values()].every((count) => count >= 99 && count <= 101)).toBe(true);
    acquireAll(4);
    expect(held.get(4)).toBe(67);
  });

  it('are given to as many that wait as there is room for once others have released theirs', () => {
    const slots = new AccountSlots(60);
    for (let nth = 0; nth < 20; nth += 1) slots.tryAcquire(ALAN);
    const filledFirst = filled(slots, 20).lastIndexOf(true) + 1;
    expect(filledFirst).toBe(14);
    let begun = 0;
    for (let nth = 0; nth < 20; nth += 1) {
      slots.whenFree(ADA, () => {
        begun += 1;
        return true;
      });
    }
    for (let nth = 0; nth < 20; nth += 1) slots.release(ALAN);
    // A third of all, by now.
    expect(filledFirst + begun).toBe(20);
  });

  it('are given to all that wait by turns', () => {
    const slots = new AccountSlots(60);
    const others = [ADA, ALAN];
    for (let nth = 0; nth < 60; nth += 1) slots.tryAcquire(10 + nth);
    for (const account of others) for (let nth = 0; nth < 10; nth += 1) slots.tryAcquire(account);
    const begun: number[] = [];
    for (const account of others) {
      for (let nth = 0; nth < 3; nth += 1) {
        slots.whenFree(account, () => begun.push(account) > 0);
      }
    }
    for (let nth = 0; nth < 60; nth += 1) slots.release(10 + nth);
    expect(begun).toEqual([ADA, ALAN, ADA, ALAN, ADA, ALAN]);
  });

  it('are ten at least', () => {
    expect(filled(new AccountSlots(1), 11).lastIndexOf(true)).toBe(9);
  });

  it('are free again when an attempt has ended', () => {
    const slots = new AccountSlots(1);
    expect(filled(slots, 11).at(-1)).toBe(false);
    slots.release(ADA);
    expect(slots.tryAcquire(ADA)).toBe(true);
  });

  it('are counted on for the attempts that have not ended', () => {
    const slots = new AccountSlots(1);
    filled(slots, 2);
    slots.release(ADA);
    expect(filled(slots, 10).lastIndexOf(true)).toBe(8);
  });

  it('go to those that wait as they become free, in the order of coming', () => {
    const slots = new AccountSlots(1);
    filled(slots, 10);
    const begun: string[] = [];
    const begin = (name: string, isWanted = true) => {
      return () => {
        if (isWanted) begun.push(name);
        return isWanted;
      };
    };
    slots.whenFree(ADA, begin('first'));
    slots.whenFree(ADA, begin('not wanted any more', false));
    slots.whenFree(ADA, begin('second'));
    expect(begun).toEqual([]);
    slots.release(ADA);
    expect(slots.tryAcquire(ADA)).toBe(false);
    slots.release(ADA);
    expect(begun).toEqual(['first', 'second']);
    slots.whenFree(ADA, begin('not wanted at all', false));
    slots.release(ADA);
    expect(slots.tryAcquire(ADA)).toBe(true);
    expect(slots.tryAcquire(ADA)).toBe(false);
  });

  it('are tried again by those turned away one after the other, not all at once', () => {
    const slots = new AccountSlots(30);
    filled(slots, 10);
    expect([1, 2, 3].map(() => slots.reserveRetryMs(ADA, 1_000_000))).toEqual([500, 550, 600]);
  });

  it('are tried again as quickly as they have become free recently', () => {
    const slots = new AccountSlots(30);
    filled(slots, 10);
    slots.reserveRetryMs(ADA, 1_000_000);
    for (let nth = 0; nth < 20; nth += 1) {
      slots.release(ADA);
      slots.tryAcquire(ADA);
    }
    // Twenty in 400 ms, so that ten take 200; the one before has reserved the first 550.
    expect(slots.reserveRetryMs(ADA, 1_000_400)).toBe(200);
    expect(slots.reserveRetryMs(ADA, 1_000_400)).toBe(220);
  });

  it('are tried again by what became free within the last second, and not too soon', () => {
    const slots = new AccountSlots(30);
    filled(slots, 10);
    slots.reserveRetryMs(ADA, 1_000_000);
    for (let nth = 0; nth < 100; nth += 1) {
      slots.release(ADA);
      slots.tryAcquire(ADA);
    }
    // A hundred in 600 ms, so that ten take 60; then in 900, so that they take 90.
    expect(slots.reserveRetryMs(ADA, 1_000_600)).toBe(100);
    expect(slots.reserveRetryMs(ADA, 1_000_900)).toBe(100);
    expect(slots.reserveRetryMs(ADA, 1_000_900)).toBe(109);
  });

  it('are not reserved for longer than five seconds, however many are turned away', () => {
    const slots = new AccountSlots(30);
    filled(slots, 10);
    const pauses = Array.from({ length: 2_000 }, () => slots.reserveRetryMs(ADA, 1_000_000));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000);
    expect(new Set(pauses).size).toBeGreaterThan(80);
  });

  it('are not reserved any more once all of its attempts have ended', () => {
    const slots = new AccountSlots(30);
    slots.tryAcquire(ADA);
    slots.reserveRetryMs(ADA, 1_000_000);
    slots.release(ADA);
    filled(slots, 10);
    expect(slots.reserveRetryMs(ADA, 1_000_000)).toBe(500);
  });
});
