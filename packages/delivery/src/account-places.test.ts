import { describe, expect, it } from 'vitest';
import { AccountPlaces } from './account-places.ts';

const ADA = 1;
const ALAN = 2;

describe('the places of an account', () => {
  it('are a third of those of the process', () => {
    const places = new AccountPlaces(9);
    expect([1, 2, 3, 4].map(() => places.enter(ADA))).toEqual([true, true, true, false]);
    expect(places.enter(ALAN)).toBe(true);
  });

  it('are one at least', () => {
    expect(new AccountPlaces(1).enter(ADA)).toBe(true);
  });

  it('are free again when an attempt has ended', () => {
    const places = new AccountPlaces(1);
    places.enter(ADA);
    places.leave(ADA);
    expect(places.enter(ADA)).toBe(true);
  });

  it('are tried again by those turned away one after the other, not all at once', () => {
    const places = new AccountPlaces(6);
    places.enter(ADA);
    places.enter(ADA);
    expect([1, 2, 3].map(() => places.pauseMs(ADA, 1_000))).toEqual([500, 750, 1_000]);
    expect(places.pauseMs(ALAN, 1_000)).toBe(500);
  });

  it('are not spoken for any more once all of its attempts have ended', () => {
    const places = new AccountPlaces(3);
    places.enter(ADA);
    places.pauseMs(ADA, 0);
    places.leave(ADA);
    places.enter(ADA);
    expect(places.pauseMs(ADA, 0)).toBe(500);
  });
});
