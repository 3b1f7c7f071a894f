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

  it('are ten at least', () => {
    expect(filled(new AccountPlaces(1), 11).lastIndexOf(true)).toBe(9);
  });

  it('are free again when an attempt has ended', () => {
    const places = new AccountPlaces(1);
    expect(filled(places, 11).at(-1)).toBe(false);
    places.leave(ADA);
    expect(places.enter(ADA)).toBe(true);
  });

  it('are tried again by those turned away one after the other, not all at once', () => {
    const places = new AccountPlaces(30);
    filled(places, 10);
    expect([1, 2, 3].map(() => places.pauseMs(ADA, 1_000))).toEqual([500, 550, 600]);
    expect(places.pauseMs(ALAN, 1_000)).toBe(500);
  });

  it('are not spoken for any more once all of its attempts have ended', () => {
    const places = new AccountPlaces(30);
    places.enter(ADA);
    places.pauseMs(ADA, 0);
    places.leave(ADA);
    places.enter(ADA);
    expect(places.pauseMs(ADA, 0)).toBe(500);
  });
});
